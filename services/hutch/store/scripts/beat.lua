#!lua
-- Beat: answers can be taken now. A gap since the last beat that is longer than the grace was an
-- outage, and is kept; the oldest goes where there are too many.
--
-- KEYS  1 pulse  hash
-- ARGV  1 grace in ms   2 at most so many outages
-- Returns {now in ms, all fields of the pulse}

local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local last = tonumber(redis.call('HGET', KEYS[1], 'at') or now)

redis.call('HSET', KEYS[1], 'at', now, 'grace', ARGV[1])
if now < last then -- this clock was set back: what it has yet to go through was no outage
  local kept = ''
  for from, till in string.gmatch(redis.call('HGET', KEYS[1], 'outages') or '', '(%d+)-(%d+) ') do
    if tonumber(from) < now then
      kept = kept .. string.format('%s-%.0f ', from, math.min(till, now))
    end
  end
  redis.call('HSET', KEYS[1], 'outages', kept)
end
if now - last > tonumber(ARGV[1]) then
  local kept = redis.call('HGET', KEYS[1], 'outages') or ''
  if select(2, string.gsub(kept, ' ', '')) >= tonumber(ARGV[2]) then
    kept = string.gsub(kept, '^%S+ ', '')
  end
  redis.call('HSET', KEYS[1], 'outages', kept .. string.format('%.0f-%.0f ', last, now))
  redis.call('HINCRBY', KEYS[1], 'count', 1)
  redis.call('HINCRBY', KEYS[1], 'lost', string.format('%.0f', now - last))
end
return {now, redis.call('HGETALL', KEYS[1])}
