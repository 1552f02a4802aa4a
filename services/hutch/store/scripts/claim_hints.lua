#!lua
-- Claim hints of one shard that are due: tables whose bots are awaited. Each comes again until a
-- commit says that no bot is awaited: soon once or twice, for a message may have been lost, then
-- later and later, for as long as nobody answers. Twice as soon while nobody has begun to: even if
-- two messages were lost, the third is there after one retry.
--
-- KEYS  1 hints  zset   2 claims  hash
-- ARGV  1 at most so many   2 retry in ms   3 the longest retry in ms
-- Returns {ms until the shard's next hint is due, or -1,
--          table id, hints given, attempts begun, table id, hints given, attempts begun, ...}

local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local ready = redis.call('ZRANGE', KEYS[1], '-inf', now, 'BYSCORE', 'LIMIT', 0, ARGV[1])
-- A hint that is due later than it was ever put off for was put off before this clock was set back.
local latest = string.format('(%.0f', now + ARGV[3])
local late = redis.call('ZRANGE', KEYS[1], '+inf', latest, 'BYSCORE', 'REV',
    'LIMIT', 0, ARGV[1] - #ready, 'WITHSCORES')
for at = 1, #late, 2 do
  if late[at + 1] - now > tonumber(redis.call('HGET', KEYS[2], 'r:' .. late[at]) or 0) then
    ready[#ready + 1] = late[at]
  end
end
local claimed = {-1}
for _, table_id in ipairs(ready) do
  local hints = redis.call('HINCRBY', KEYS[2], 'h:' .. table_id, 1)
  local tried = tonumber(redis.call('HGET', KEYS[2], 'a:' .. table_id) or 0)
  local retry = math.min(ARGV[2] * 2 ^ math.max(0, math.min(hints - 2, 30)), ARGV[3])
  if tried == 0 then
    retry = retry / 2
  end
  redis.call('ZADD', KEYS[1], now + math.ceil(retry), table_id)
  claimed[#claimed + 1] = table_id
  claimed[#claimed + 1] = hints
  claimed[#claimed + 1] = tried
end
local upcoming = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')[2]
if upcoming then
  claimed[1] = math.max(0, upcoming - now)
end
return claimed
