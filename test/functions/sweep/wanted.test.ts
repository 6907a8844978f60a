import { expect, test } from "vitest"
import { hostsToStart } from "#functions/sweep/wanted.ts"

const up = (sessions: number, capacity = 20) => ({ state: "up", sessions, capacity }) as const

test.for([
  ["an empty service starts one for its spare room", [], 0, 1],
  ["room enough: none", [up(10)], 5, 0],
  ["the spare room is taken: one more", [up(10)], 6, 1],
  ["45 bridges and 5 spare need three of 20", [], 45, 3],
  ["one that starts counts already", [{ state: "starting", sessions: 0, capacity: 20 }], 15, 0],
  ["one that drains has no room", [{ state: "draining", sessions: 0, capacity: 20 }], 0, 1],
  ["one that holds more than it should has none to give", [up(25), up(15)], 0, 0],
  ["never more than ten at a look", [], 100_000, 10],
] as const)("%s", ([, hosts, wanting, expected]) => {
  const all = hosts.map((host) => ({ ...host })) as unknown as Parameters<typeof hostsToStart>[0]["hosts"] // what is read
  expect(hostsToStart({ hosts: all, wanting, suspects: 0, spare: 5, capacity: 20 })).toBe(expected)
})

test.for([
  ["a suspect finds no empty host: one is started, whatever room there is", [up(1), up(3)], 1, 1],
  ["an empty one is there already", [up(1), up(0)], 1, 0],
  ["an empty one starts", [up(1), { state: "starting", sessions: 0, capacity: 20 }], 1, 0],
  ["each wants one for itself", [up(1), up(0)], 3, 2],
] as const)("%s", ([, hosts, suspects, expected]) => {
  const all = hosts.map((host) => ({ ...host })) as unknown as Parameters<typeof hostsToStart>[0]["hosts"] // what is read
  expect(hostsToStart({ hosts: all, wanting: suspects, suspects, spare: 5, capacity: 20 })).toBe(expected)
})
