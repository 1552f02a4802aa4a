#!lua
-- Claim timers of one shard that are due, or soon will be. They stay in the set, out of others'
-- sight until the lease ends; the table's next commit settles them.
--
-- KEYS  1 due  zset   2 claims  hash
-- ARGV  1 at most so many   2 lease in ms   3 due so many ms from now at the latest
-- Returns {now in ms, when the next is due or a lease ends in ms ('' never),
--          table id, due ms, table id, due ms, ...}

local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local due = redis.call('ZRANGE', KEYS[1], '-inf', now + ARGV[3], 'BYSCORE',
    'LIMIT', 0, ARGV[1], 'WITHSCORES')
for at = 1, #due, 2 do
  local field = 'd:' .. due[at]
  redis.call('ZADD', KEYS[1], now + ARGV[2], due[at])
  if redis.call('HSETNX', KEYS[2], field, due[at + 1]) == 0 then -- claimed by one who died
    due[at + 1] = redis.call('HGET', KEYS[2], field)
  end
end
local next_due = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')[2] or ''
return {now, next_due, unpack(due)}
