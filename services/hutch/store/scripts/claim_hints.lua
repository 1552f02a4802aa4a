#!lua
-- Claim hints of one shard that are due: tables whose bots are awaited. Each comes again after
-- the retry time until a commit says that no bot is awaited, or until it came too often; then the
-- table is written to the dead letters and only its clock is left.
--
-- KEYS  1 hints  zset   2 claims  hash   3 dead  stream
-- ARGV  1 at most so many   2 retry in ms   3 most attempts
-- Returns {table id, attempt, table id, attempt, ...}

local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local ready = redis.call('ZRANGE', KEYS[1], '-inf', now, 'BYSCORE', 'LIMIT', 0, ARGV[1])
local claimed = {}
for _, table_id in ipairs(ready) do
  local attempt = redis.call('HINCRBY', KEYS[2], 'h:' .. table_id, 1)
  if attempt > tonumber(ARGV[3]) then
    redis.call('XADD', KEYS[3], 'MAXLEN', '~', 100, '*',
        'table', table_id, 'attempts', attempt - 1)
    redis.call('ZREM', KEYS[1], table_id)
    redis.call('HDEL', KEYS[2], 'h:' .. table_id)
  else
    redis.call('ZADD', KEYS[1], now + ARGV[2], table_id)
    claimed[#claimed + 1] = table_id
    claimed[#claimed + 1] = attempt
  end
end
return claimed
