#!lua
-- Acknowledge notes for one group, and cut off what every group has acknowledged.
--
-- KEYS  1 outbox  stream
-- ARGV  1 group   2 ... ids
-- Returns how many were acknowledged

local done = redis.call('XACK', KEYS[1], unpack(ARGV))

local function earlier(one, other) -- ids are '<ms>-<number>'
  local ms, number = string.match(one, '(%d+)-(%d+)')
  local other_ms, other_number = string.match(other, '(%d+)-(%d+)')
  if ms ~= other_ms then
    return tonumber(ms) < tonumber(other_ms)
  end
  return tonumber(number) < tonumber(other_number)
end

local keep -- the earliest id that some group has not acknowledged, or has yet to read after
local read_after = false
for _, facts in ipairs(redis.call('XINFO', 'GROUPS', KEYS[1])) do
  local group = {}
  for at = 1, #facts, 2 do
    group[facts[at]] = facts[at + 1]
  end
  local id, exclusive = group['last-delivered-id'], true
  if group['pending'] > 0 then
    id, exclusive = redis.call('XPENDING', KEYS[1], group['name'])[2], false
  end
  if not keep or earlier(id, keep) or (id == keep and not exclusive) then
    keep, read_after = id, exclusive
  end
end
redis.call('XTRIM', KEYS[1], 'MINID', keep)
if read_after then
  redis.call('XDEL', KEYS[1], keep)
end
return done
