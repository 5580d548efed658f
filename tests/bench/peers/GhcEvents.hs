{-# LANGUAGE MagicHash, UnboxedTuples #-}
-- What an event with a text costs in GHC's event log, in ns: the best of many bursts.
module Main (main) where

import Control.Monad (replicateM, replicateM_)
import GHC.Exts (traceEvent#)
import GHC.IO (IO (..))
import System.CPUTime (getCPUTime)

burst :: Int
burst = 20000

one :: IO Double
one = do
  start <- getCPUTime
  replicateM_ burst (IO (\s -> (# traceEvent# "Interpreter method_1 lib/interpreter.toy"# s, () #)))
  end <- getCPUTime
  pure (fromIntegral (end - start) / 1000 / fromIntegral burst)

main :: IO ()
main = replicateM 50 one >>= print . minimum
