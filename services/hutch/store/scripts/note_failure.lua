#!lua
-- Note what went wrong last at a table that exists.
--
-- KEYS  1 table  hash
-- ARGV  1 failure
-- Returns 1 if the table exists, else 0

if redis.call('EXISTS', KEYS[1]) == 0 then
  return 0
end
redis.call('HSET', KEYS[1], 'failure', ARGV[1])
return 1
