local part = {}

function part.double(n)
	return 2 * n
end

return part
