import { expect, test } from "vitest"
import type { Host } from "#core/lease/host.ts"
import { type Fleet, hostsToStart, oldHostsToDrain, surplusHost } from "#functions/sweep/fleet-size.ts"

const up = (sessions: number, capacity = 20) => ({ state: "up", sessions, capacity, definition: "" }) as const

test.for([
  ["an empty service starts one for its spare room", [], 0, 1],
  ["room enough: none", [up(10)], 5, 0],
  ["the spare room is taken: one more", [up(10)], 6, 1],
  ["45 bridges and 5 spare need three of 20", [], 45, 3],
  [
    "one that starts counts already",
    [{ state: "starting", sessions: 0, capacity: 20, definition: "" }],
    15,
    0,
  ],
  ["one that drains has no room", [{ state: "draining", sessions: 0, capacity: 20, definition: "" }], 0, 1],
  ["one that holds more than it should has none to give", [up(25), up(15)], 0, 0],
  ["never more than twenty at a look", [], 100_000, 20],
] as const)("%s", ([, hosts, wanting, expected]) => {
  // What is read.
  const all = hosts.map((host) => ({ ...host })) as unknown as Parameters<typeof hostsToStart>[0]["hosts"]
  expect(hostsToStart({ hosts: all, wanting, suspects: 0, spare: 5, capacity: 20, definition: "" })).toBe(
    expected,
  )
})

test.for([
  ["a suspect finds no empty host: one is started, whatever room there is", [up(1), up(3)], 1, 1],
  ["an empty one is there already", [up(1), up(0)], 1, 0],
  ["an empty one starts", [up(1), { state: "starting", sessions: 0, capacity: 20, definition: "" }], 1, 0],
  ["each wants one for itself", [up(1), up(0)], 3, 2],
  ["all bridges of a host are suspects: five are tried at a time", [up(1)], 100, 5],
  ["three are tried already: two more", [up(1, 1), up(1, 1), up(1, 1), up(3)], 97, 2],
] as const)("%s", ([, hosts, suspects, expected]) => {
  // What is read.
  const all = hosts.map((host) => ({ ...host })) as unknown as Parameters<typeof hostsToStart>[0]["hosts"]
  expect(hostsToStart({ hosts: all, wanting: 0, suspects, spare: 5, capacity: 20, definition: "" })).toBe(
    expected,
  )
})

/** A fleet with hosts of 20 sessions, changed by what is given for each. */
function aFleet(said: Partial<Host.Info>[], more: Partial<Fleet> = {}): Fleet {
  const usual = { state: "up", sessions: 0, capacity: 20, definition: "new" } as const
  const hosts = said.map((host, i) => ({ ...usual, id: String(i), ...host })) as Host.Info[] // what is read
  return { hosts, definition: "new", wanting: 0, suspects: 0, spare: 5, capacity: 20, ...more }
}

test.for([
  [
    "there is nowhere to go yet: a new one is started first",
    [{ definition: "old", sessions: 9 }],
    undefined,
    1,
  ],
  ["a new one starts", [{ definition: "old", sessions: 9 }, { state: "starting" }], undefined, 0],
  ["it is up", [{ definition: "old", sessions: 9 }, {}], "0", 0],
  ["the spare room would be lost", [{ definition: "old", sessions: 16 }, {}], undefined, 1],
  ["another one drains", [{ definition: "old" }, { state: "draining", definition: "old" }, {}], undefined, 0],
  [
    "the one with the fewest goes first",
    [{ definition: "old", sessions: 9 }, { definition: "old", sessions: 2 }, {}],
    "1",
    0,
  ],
  ["one that was started by hand is left alone", [{ definition: "", sessions: 2 }, {}], undefined, 0],
] as const)("an old host: %s", ([, hosts, drained, started]) => {
  const fleet = aFleet([...hosts])
  expect(oldHostsToDrain(fleet).map(({ id }) => id)).toEqual(drained === undefined ? [] : [drained])
  expect(hostsToStart(fleet)).toBe(started)
})

const old = (count: number, sessions: number) =>
  Array.from({ length: count }, () => ({ definition: "old", sessions }))

test.for([
  ["a tenth of thirty is replaced at a time: room for them is started first", old(30, 20), 0, 4],
  ["there is room for two of three", [...old(28, 20), {}, {}, { sessions: 15 }], 2, 1],
  ["there is room for all three", [...old(28, 20), {}, {}, {}, {}], 3, 0],
  [
    "those that drain count, and need their room still",
    [...old(28, 20), ...old(2, 20).map((host) => ({ ...host, state: "draining" as const })), {}, {}, {}],
    0,
    1,
  ],
  ["never more than ten", [...old(200, 1), {}, {}], 10, 0],
] as const)("many old hosts: %s", ([, hosts, drained, started]) => {
  const fleet = aFleet([...hosts])
  expect(oldHostsToDrain(fleet)).toHaveLength(drained)
  expect(hostsToStart(fleet)).toBe(started)
})

test("a deploy to 51 hosts is over in a dozen rounds, never with less than the spare room", () => {
  let fleet = aFleet([...old(51, 19), {}])
  let rounds = 0
  for (; fleet.hosts.some(({ definition }) => definition === "old"); rounds++) {
    const started = aFleet(Array.from({ length: hostsToStart(fleet) }, () => ({}))).hosts
    fleet = { ...fleet, hosts: [...fleet.hosts, ...started] }
    const drained = oldHostsToDrain(fleet)
    const left = fleet.hosts.filter((host) => !drained.includes(host))
    let moving = drained.reduce((sum, { sessions }) => sum + sessions, 0)
    const hosts = left.map((host) => {
      if (host.definition === "old") return host
      const taken = Math.min(moving, host.capacity - host.sessions)
      moving -= taken
      return { ...host, sessions: host.sessions + taken }
    })
    expect(moving).toBe(0)
    fleet = { ...fleet, hosts }
    const room = hosts
      .filter(({ definition }) => definition === "new")
      .map((host) => host.capacity - host.sessions)
    expect(room.reduce((sum, free) => sum + free, 0)).toBeGreaterThanOrEqual(fleet.spare)
    expect(rounds).toBeLessThan(20)
  }
  expect(rounds).toBeLessThanOrEqual(13)
})

test.for([
  ["two that are half empty are no host too many", [{ sessions: 10 }, { sessions: 10 }], undefined],
  ["one holds what two held, with room to spare: the emptier goes", [{ sessions: 3 }, { sessions: 1 }], "1"],
  ["what would be left is soon used up", [{ sessions: 8 }, { sessions: 2 }], undefined],
  ["an empty one beside one that is full is the spare room", [{ sessions: 20 }, {}], undefined],
  ["the last one stays", [{ sessions: 0 }], undefined],
  ["nobody goes while another starts", [{}, {}, { state: "starting" }], undefined],
  ["one that holds a suspect is left alone", [{ sessions: 2 }, { sessions: 1, capacity: 1 }, {}], "2"],
] as const)("a host too many: %s", ([, hosts, drained]) => {
  const fleet = aFleet([...hosts])
  expect(surplusHost(fleet)?.id).toBe(drained)
})

test("no host goes that would have to be started again at once", () => {
  for (let first = 0; first <= 20; first++)
    for (let second = 0; second <= 20; second++) {
      const fleet = aFleet([{ sessions: first }, { sessions: second }])
      const gone = surplusHost(fleet)
      if (!gone) continue
      const stays = fleet.hosts.filter((host) => host !== gone)
      expect(hostsToStart({ ...fleet, hosts: stays, wanting: gone.sessions })).toBe(0)
    }
})
