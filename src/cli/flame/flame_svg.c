/*
 * flame_svg.c: a flame graph as an SVG that needs nothing else: the root at the bottom, a frame as
 * wide as its share, callers below callees, sorted by name. The script in it zooms and searches;
 * it reads names from the elements' text and never makes markup of them.
 *
 * It is as wide as its window: the script lays it out anew when that changes. Where no script runs,
 * as in a picture of a page, it has a fixed width. Colors suit a light and a dark window.
 *
 * A comparison is as wide as the first tree, plus what only the second has. Red frames have a
 * larger share than in the second, blue ones a smaller one.
 *
 * A name that is too long for its frame loses its front first, where the package and the class are,
 * and then the end of the method's own name. A line of text that is too long for the window is made
 * smaller, and cut if that is not enough.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clean_text.h"
#include "base/utf8.h"
#include "cli/flame/flame_writers.h"

enum {
	WIDTH = 1200,
	SIDE = 10,
	ROW = 17,
	TITLE_Y = 22, /* the base line of the title, */
	LINE = 17,    /* and how far each further line is below it */
	SEARCH = 32,  /* the height of the field for a search */
	FOOT = 34,
	DEPTH_MAX = 1000, /* deeper frames are not shown */
	NAME_SHOWN = 256
};

/* Frames that are less wide, in pixels, are left out. */
static const double narrowest = 0.1;

static const char style[] =
	":root{background:#fbfaf6}"
	"text{font:12px monospace;fill:#111}#title{font-size:16px}#back{fill:#fbfaf6}"
	".compared rect{stroke:#aaa;stroke-width:.5}#note{fill:#b00020}.f{cursor:pointer}.f:hover "
	"rect{stroke:#000;stroke-width:.7}"
	".dim{opacity:.55}.hide{display:none}#search{font:12px monospace;width:180px}"
	"@media(prefers-color-scheme:dark){:root{background:#1c1c1f}svg>text{fill:#ddd}"
	"#back{fill:#1c1c1f}"
	"#note{fill:#ff8a80}.f:hover rect{stroke:#fff}"
	"#search{background:#2c2c30;color:#ddd;border:1px solid #666}}";

static const char script[] =
	"(function(){'use strict';"
	"var svg=document.documentElement,frames=[].slice.call(document.querySelectorAll('.f')),"
	"info=document.getElementById('info'),found=document.getElementById('found'),"
	"reset=document.getElementById('reset'),box=document.getElementById('search'),"
	"W=+svg.getAttribute('data-width'),S=+svg.getAttribute('data-side'),zoom=null,"
	"H=+svg.getAttribute('height'),"
	"lines=[].slice.call(document.querySelectorAll('.line'));\n"
	"lines.forEach(function(l){l.setAttribute('data-n',l.textContent);});\n"
	"function name(f){return f.querySelector('title').textContent;}\n"
	"function ownName(n){var o=0,i;for(i=0;i<n.length&&'(<['.indexOf(n[i])<0;i++)"
	"if('.#:/'.indexOf(n[i])>=0&&n[i+1]&&'.#:/(<[0123456789'.indexOf(n[i+1])<0)o=i+1;"
	"return o;}\n"
	"function label(f,w){var "
	"t=f.querySelector('text'),n=t.getAttribute('data-n'),c=Math.floor((w-4)/7.3),"
	"own=n.slice(ownName(n));"
	"t.textContent=c<3?'':n.length<=c?n:own.length<c?'\u2026'+n.slice(1-c):"
	"own.length===c?own:own.slice(0,c-1)+'\u2026';}\n"
	"function place(f,x,w){var r=f.querySelector('rect');r.setAttribute('x',x.toFixed(2));"
	"r.setAttribute('width',Math.max(w-.5,.1).toFixed(2));"
	"f.querySelector('text').setAttribute('x',(x+3).toFixed(2));label(f,w);}\n"
	"function at(f){return[+f.getAttribute('data-x'),+f.getAttribute('data-w'),"
	"+f.getAttribute('data-d')];}\n"
	"function show(target){var t=target?at(target):[0,1,0];zoom=target;\n"
	"frames.forEach(function(f){var a=at(f),e=1e-9,\n"
	"in_=a[0]>=t[0]-e&&a[0]+a[1]<=t[0]+t[1]+e&&a[2]>=t[2],\n"
	"over=a[2]<t[2]&&a[0]<=t[0]+e&&a[0]+a[1]>=t[0]+t[1]-e;\n"
	"f.classList.toggle('hide',!in_&&!over);f.classList.toggle('dim',over);\n"
	"if(in_)place(f,S+(a[0]-t[0])/t[1]*W,a[1]/t[1]*W);else if(over)place(f,S,W);});\n"
	"reset.classList.toggle('hide',!target||!t[2]);}\n"
	"function fit(){var w=Math.max(window.innerWidth||0,320);W=w-2*S;"
	"svg.setAttribute('width',w);svg.setAttribute('viewBox','0 0 '+w+' '+H);"
	"reset.setAttribute('x',w-S);lines.forEach(fitLine);show(zoom);}\n"
	"function fitLine(l){var t=l.getAttribute('data-n')||'',c=Math.floor(W/5.5);\n"
	"l.style.fontSize=Math.max(9,Math.min(l.id==='title'?16:12,W/t.length/.61))+'px';\n"
	"l.textContent=t.length<=c?t:t.slice(0,c-1)+'\u2026';}\n"
	"function tell(t){info.setAttribute('data-n',t);fitLine(info);}\n"
	"function search(text){var re=null,sum=0,end=-1;\n"
	"if(text){try{re=new RegExp(text,'i');}catch(e){var low=text.toLowerCase();"
	"re={test:function(s){return s.toLowerCase().indexOf(low)>=0;}};}}\n"
	"var hits=[];frames.forEach(function(f){var r=f.querySelector('rect'),"
	"n=f.querySelector('text').getAttribute('data-n'),"
	"hit=re&&re.test(n);\n"
	"if(hit)hits.push(at(f));if(hit){r.setAttribute('data-c',r.getAttribute('data-c')||"
	"r.getAttribute('fill'));r.setAttribute('fill','#e600e6');}else "
	"if(r.getAttribute('data-c'))"
	"r.setAttribute('fill',r.getAttribute('data-c'));});\n"
	"hits.sort(function(a,b){return a[0]-b[0]||a[2]-b[2];});\n"
	"hits.forEach(function(a){if(a[0]>=end-1e-9){sum+=a[1];end=a[0]+a[1];}});\n"
	"found.textContent=re?hits.length+' frames, '+(100*sum).toFixed(1)+'%':'';}\n"
	"if(window.top===window){fit();window.addEventListener('resize',fit);}\n"
	"frames.forEach(function(f){label(f,(zoom?at(f)[1]/at(zoom)[1]:at(f)[1])*W);"
	"f.addEventListener('click',function(){show(f);});"
	"f.addEventListener('mouseover',function(){tell(name(f));});"
	"f.addEventListener('mouseout',function(){tell('');});});\n"
	"reset.addEventListener('click',function(){show(null);});\n"
	"if(box)box.addEventListener('input',function(){search(box.value);});\n"
	"document.addEventListener('keydown',function(e){if(e.key==='Escape'){show(null);if(box){"
	"box.value='';search('');}}else if((e.ctrlKey||e.metaKey)&&e.key==='f'&&box){"
	"e.preventDefault();box.focus();}});\n"
	"})();\n";

/* Text of XML: markup is escaped; characters that XML does not have become U+FFFD. */
static void print_text(const char *text, size_t length, FILE *output)
{
	for (size_t i = 0, size; i < length; i += size) {
		unsigned char c = (unsigned char)text[i];

		size = utf8_bytes(text + i, length - i);
		if (!size || (c != '\t' && clean_text_is_harmful(text + i, size)) ||
			(size == 3 && c == 0xef && !memcmp(text + i, "\xef\xbf", 2) &&
				(unsigned char)text[i + 2] >= 0xbe)) {
			fputs("\xef\xbf\xbd", output);
			size = size ? size : 1;
		} else if (c == '<') {
			fputs("&lt;", output);
		} else if (c == '>') {
			fputs("&gt;", output);
		} else if (c == '&') {
			fputs("&amp;", output);
		} else if (c == '"') {
			fputs("&quot;", output);
		} else {
			fwrite_unlocked(text + i, 1, size, output);
		}
	}
}

/* A name that is not longer than is useful; cut between characters. */
static void print_name(const struct call_frame_name *name, FILE *output)
{
	size_t length = name->length;

	if (length > NAME_SHOWN) {
		length = NAME_SHOWN;
		while (length && ((unsigned char)name->text[length] & 0xc0) == 0x80)
			length--;
	}
	print_text(name->text, length, output);
	if (length < name->length)
		fputs("...", output);
}

/* How many of the bytes at a place of a name are one character. */
static size_t character_at(const struct call_frame_name *name, size_t at)
{
	size_t size = utf8_bytes(name->text + at, name->length - at);

	return size ? size : 1;
}

static size_t count_characters(const struct call_frame_name *name, size_t from)
{
	size_t count = 0;

	for (; from < name->length; from += character_at(name, from))
		count++;
	return count;
}

/* The place that is a number of characters further on. */
static size_t skip_characters(const struct call_frame_name *name, size_t at, size_t count)
{
	while (count-- && at < name->length)
		at += character_at(name, at);
	return at;
}

/* Where a method's own name begins, after those of its package and class; 0: it has no other. What
 * begins with a digit is no method but a suffix of a compiler. */
static size_t own_name(const struct call_frame_name *name)
{
	size_t own = 0;

	for (size_t i = 0; i < name->length && !strchr("(<[", name->text[i]); i++)
		if (strchr(".#:/", name->text[i]) && name->text[i] && i + 1 < name->length &&
			!strchr(".#:/(<[0123456789", name->text[i + 1]))
			own = i + 1;
	return own;
}

/* As many characters of a name as fit into a frame; the script does the same after a zoom. */
static void print_label(const struct call_frame_name *name, double width, FILE *output)
{
	size_t columns = width < 4 ? 0 : (size_t)((width - 4) / 7.3), begin, end, all, own;

	if (columns < 3)
		return;
	all = count_characters(name, 0);
	begin = own_name(name);
	own = count_characters(name, begin);
	end = name->length;
	if (all <= columns) {
		begin = 0;
	} else if (own < columns) {
		fputs("\u2026", output);
		begin = skip_characters(name, 0, all - columns + 1);
	} else if (own > columns) {
		end = skip_characters(name, begin, columns - 1);
	}
	print_text(name->text + begin, end - begin, output);
	if (end < name->length)
		fputs("\u2026", output);
}

/* A warm color that depends on the name alone. */
static void print_color(const struct call_frame_name *name, FILE *output)
{
	uint32_t hash = 2166136261u;

	for (uint32_t i = 0; i < name->length; i++)
		hash = (hash ^ (unsigned char)name->text[i]) * 16777619u;
	hash ^= hash >> 15;
	fprintf(output, "#%02x%02x%02x", 205 + hash % 50, 80 + (hash >> 8) % 140,
		30 + (hash >> 16) % 50);
}

/* Red: a larger share than in the other tree; blue: a smaller one; white: the same. Black text is
 * readable on all of them. */
static void print_difference(double share, double other, FILE *output)
{
	double larger = share > other ? share : other;
	double change = larger > 0 ? (share - other) / larger : 0;
	int rest = (int)(245 - 110 * fabs(change)), half = (245 + rest) / 2;

	if (change > 0)
		fprintf(output, "#f5%02x%02x", rest, rest);
	else
		fprintf(output, "#%02x%02xf5", rest, half);
}

static void print_number(uint64_t number, FILE *output)
{
	char text[32];

	flame_subject_number(text, number);
	fputs(text, output);
}

/* What a frame is as wide as. */
static uint64_t weight(const struct call_shown *node)
{
	return node->total > node->other_total ? node->total : node->other_total;
}

struct placed {
	double x;    /* share of the whole width, from the left */
	double used; /* share that its children have taken */
	double width;
};

/* The share of the width for each frame; in a comparison, frames of both trees must fit. */
static struct placed *place(const struct flame_view *view)
{
	struct placed *placed = calloc(view->count, sizeof(*placed));
	uint64_t *sums = calloc(view->count, sizeof(*sums));

	if (placed && sums) {
		/* from the innermost on: as wide as its children together, at least */
		for (size_t i = view->count; i-- > 0;) {
			uint64_t own = view->is_comparison ? weight(&view->shown[i])
							   : view->shown[i].total;
			if (own > sums[i])
				sums[i] = own;
			if (i)
				sums[view->shown[i].parent] += sums[i];
		}
		placed[0].width = 1;
		for (size_t i = 1; i < view->count; i++) {
			struct placed *parent = &placed[view->shown[i].parent];
			placed[i].width = sums[0] ? (double)sums[i] / (double)sums[0] : 0;
			placed[i].x = parent->x + parent->used;
			parent->used += placed[i].width;
		}
	}
	free(sums);
	return placed;
}

static void print_frame(const struct flame_view *view, size_t index, const struct placed *placed,
	unsigned int bottom, FILE *output)
{
	const struct call_shown *node = &view->shown[index], *root = &view->shown[0];
	const struct call_frame_name *name = &view->tree->names[node->name];
	double share = root->total ? (double)node->total / (double)root->total : 0;
	double other =
		root->other_total ? (double)node->other_total / (double)root->other_total : 0;
	unsigned int y = bottom - node->depth * ROW;

	fprintf(output,
		"<g class=\"f\" data-x=\"%.9f\" data-w=\"%.9f\" data-d=\"%" PRIu32 "\"><title>",
		placed->x, placed->width, node->depth);
	print_name(name, output);
	fputs(" (", output);
	print_number(node->total, output);
	fprintf(output, " %s, %.2f%%", view->unit, 100 * share);
	if (view->is_comparison) {
		fputs("; before: ", output);
		print_number(node->other_total, output);
		fprintf(output, ", %.2f%%", 100 * other);
	} else if (node->self && node->self < node->total) {
		fputs("; itself ", output);
		print_number(node->self, output);
	}
	fprintf(output, ")</title><rect x=\"%.2f\" y=\"%u\" width=\"%.2f\" height=\"%d\" fill=\"",
		SIDE + placed->x * (WIDTH - 2 * SIDE), y, placed->width * (WIDTH - 2 * SIDE),
		ROW - 1);
	if (view->is_comparison)
		print_difference(share, other, output);
	else
		print_color(name, output);
	fprintf(output, "\" rx=\"2\"/><text x=\"%.2f\" y=\"%u\" data-n=\"",
		SIDE + placed->x * (WIDTH - 2 * SIDE) + 3, y + 12);
	print_name(name, output);
	fputs("\">", output);
	print_label(name, placed->width * (WIDTH - 2 * SIDE), output);
	fputs("</text></g>\n", output);
}

static bool is_shown(const struct call_shown *node, const struct placed *placed)
{
	return node->depth <= DEPTH_MAX && placed->width * (WIDTH - 2 * SIDE) >= narrowest;
}

/* A line of the head. Returns the base line of the next one. */
static int print_line(const char *id, const char *text, int y, FILE *output)
{
	fprintf(output, "<text%s%s%s class=\"line\" x=\"%d\" y=\"%d\">", *id ? " id=\"" : "", id,
		*id ? "\"" : "", SIDE, y);
	print_text(text, strlen(text), output);
	fputs("</text>\n", output);
	return y + LINE;
}

/* What a graph is of: how much in which time, and when that was recorded. */
static int print_subject(const struct flame_view *view, const struct flame_subject *subject,
	const char *label, int y, FILE *output)
{
	char line[FLAME_SUBJECT_LINE_MAX], text[FLAME_SUBJECT_LINE_MAX + 16];

	flame_subject_amount(line, subject, view->unit);
	snprintf(text, sizeof(text), "%s%s", label, line);
	y = print_line("", text, y, output);
	flame_subject_cost(line, subject, view->unit);
	if (*line)
		y = print_line("", line, y, output);
	flame_subject_origin(line, subject);
	return *line ? print_line("", line, y, output) : y;
}

/* What the colors of a comparison say. */
static int print_legend(int y, FILE *output)
{
	static const struct {
		const char *text;
		double share, other;
	} marks[] = {{"larger share than before", 1, 0}, {"the same", 1, 1}, {"smaller", 0, 1}};
	int x = SIDE;

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		fprintf(output,
			"<rect x=\"%d\" y=\"%d\" width=\"12\" height=\"12\" stroke=\"#888\" "
			"fill=\"",
			x, y - 10);
		print_difference(marks[i].share, marks[i].other, output);
		fprintf(output, "\"/><text x=\"%d\" y=\"%d\">%s</text>\n", x + 17, y,
			marks[i].text);
		x += 17 + (int)(7.3 * (double)strlen(marks[i].text)) + 12;
	}
	return y + LINE;
}

/* The head has its title in the first line; returns where the frames begin. */
static int print_head(const struct flame_view *view, FILE *output)
{
	int y = print_line("title", view->title, TITLE_Y, output);

	y = print_subject(view, view->subject, view->is_comparison ? "after: " : "", y, output);
	if (view->is_comparison)
		y = print_subject(view, view->other, "before: ", y, output);
	if (view->note)
		y = print_line("note", view->note, y, output);
	if (view->is_comparison)
		y = print_legend(y, output);
	y -= LINE / 2;
	fprintf(output,
		"<text id=\"reset\" class=\"hide\" x=\"%d\" y=\"%d\" text-anchor=\"end\" "
		"style=\"cursor:pointer;text-decoration:underline\">reset zoom</text>\n"
		"<text id=\"found\" x=\"%d\" y=\"%d\"></text>\n"
		"<foreignObject x=\"%d\" y=\"%d\" width=\"190\" height=\"26\"><input "
		"xmlns=\"http://www.w3.org/1999/xhtml\" id=\"search\" placeholder=\"search "
		"(regex)\"/></foreignObject>\n",
		WIDTH - SIDE, y + 17, SIDE + 196, y + 17, SIDE, y);
	return y + SEARCH;
}

int flame_svg_write(const struct flame_view *view, FILE *output)
{
	struct placed *placed = place(view);
	uint32_t deepest = 0;
	char *bytes = NULL;
	size_t size;
	FILE *text = open_memstream(&bytes, &size);
	unsigned int head, height;

	if (!placed || !text) {
		free(placed);
		if (text)
			fclose(text);
		free(bytes);
		return -ENOMEM;
	}
	for (size_t i = 0; i < view->count; i++)
		if (is_shown(&view->shown[i], &placed[i]) && view->shown[i].depth > deepest)
			deepest = view->shown[i].depth;
	/* its height is needed before it is written */
	head = (unsigned int)print_head(view, text);
	if (fclose(text)) {
		free(placed);
		free(bytes);
		return -ENOMEM;
	}
	height = head + (deepest + 1) * ROW + FOOT;
	fprintf(output,
		"<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%u\" "
		"viewBox=\"0 0 %d %u\" data-width=\"%d\" data-side=\"%d\"%s>\n<style>%s</style>\n"
		"<rect id=\"back\" width=\"100%%\" height=\"100%%\"/>\n%s"
		"<text id=\"info\" class=\"line\" x=\"%d\" y=\"%u\"></text>\n",
		WIDTH, height, WIDTH, height, WIDTH - 2 * SIDE, SIDE,
		view->is_comparison ? " class=\"compared\"" : "", style, bytes, SIDE, height - 12);
	free(bytes);
	for (size_t i = 0; i < view->count; i++)
		if (is_shown(&view->shown[i], &placed[i]))
			print_frame(view, i, &placed[i], head + deepest * ROW, output);
	free(placed);
	fprintf(output, "<script><![CDATA[\n%s]]></script>\n</svg>\n", script);
	return ferror(output) ? -(errno ? errno : EIO) : 0;
}
