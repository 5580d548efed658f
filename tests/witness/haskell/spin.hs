-- A threaded program that creates threads and sparks, collects, and sends messages: its event log
-- is compared with what D scripts see in it.
module Main (main) where

import Control.Concurrent
import Control.Monad
import Debug.Trace
import GHC.Conc (par, pseq)
import System.Mem (performGC)

fib :: Int -> Integer
fib n
  | n < 2 = 1
  | n < 12 = fib (n - 1) + fib (n - 2)
  | otherwise = let a = fib (n - 1); b = fib (n - 2) in a `par` (b `pseq` a + b)

main :: IO ()
main = do
  done <- newEmptyMVar
  forM_ [1 .. 20 :: Int] $ \i -> forkIO $ do
    traceEventIO ("worker " ++ show i)
    putMVar done $! fib (20 + i `mod` 5)
  results <- replicateM 20 (takeMVar done)
  performGC
  traceMarkerIO "end"
  print (sum results)
