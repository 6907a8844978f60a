import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pino } from "pino"
import { afterAll, beforeAll, expect, test } from "vitest"
import { StanzaSkeleton } from "#core/message/stanza-skeleton.ts"
import type { Happening } from "#session-host/network/happening.ts"
import { connect } from "#session-host/whatsapp/connect.ts"
import { trustRoot } from "#session-host/whatsapp/patches/verify-certificates.ts"
import { newRecorder } from "#session-host/whatsapp/stanza-recorder.ts"
import { missingIn, knownFacts, recordedFacts } from "#simulator/compare-with-live/facts.ts"
import { until } from "#test/support/until.ts"
import { aNetwork, type Network } from "../../support/network/network.ts"
import { aLinkedDevice } from "../../support/session/linked-device.ts"

let network: Network
let folder: string

beforeAll(async () => {
  network = await aNetwork()
  trustRoot(network.rootKey)
  folder = await mkdtemp(join(tmpdir(), "recorded-"))
})

afterAll(async () => {
  await network.close()
  await rm(folder, { recursive: true })
})

test("a recording of the simulated network has only what this sends, no one's words, and all but calls", async () => {
  const { ada, bob, vault, connection, device } = await aLinkedDevice(network)
  connection.close()
  await vault.settled()
  const log = pino({ level: "silent" })
  const happenings: Happening[] = []
  const recording = connect({
    url: network.url,
    vault,
    intake: vault,
    ackMs: 15_000,
    deadMs: 120_000,
    log,
    record: newRecorder(folder, log),
    onHappening: (happening) => void happenings.push(happening),
  })
  await until(() => happenings.some(({ kind }) => kind === "open"))
  await bob.send(ada.number, "a secret of mine")
  await network.control.ring(bob.number, ada.number)
  await network.control.notice(device, { kind: "about_changed", about: bob.number })
  await until(() => happenings.some(({ kind }) => kind === "stanza"))
  await network.control.settled(device, 10_000)
  recording.close()

  const facts = recordedFacts(folder)
  expect(missingIn(knownFacts(), facts)).toEqual([])
  const all = [...facts].join("\n")
  expect(all).toContain("message[text]/enc[pkmsg] bytes")
  for (const word of ["secret", "Bob", bob.number, ada.number, bob.lid.split("@")[0]!, "fishing"])
    expect(all).not.toContain(word)

  const withoutCalls = new Set([...knownFacts()].filter((fact) => !fact.startsWith("call")))
  expect(missingIn(withoutCalls, facts)).toEqual(["call"])
})

test.for([
  ["maria@s.whatsapp.net", "@s.whatsapp.net"],
  ["15550001234:7@hosted.lid", "@hosted.lid"],
  ["@maria.lopez", "text"],
  ["Maria @ home", "text"],
  ["me@maria.example", "text"],
] as const)(
  "a name is recorded as a text, whatever it looks like, and an address by its server: %s",
  ([value, shape]) => {
    const facts = StanzaSkeleton.factsOf({ tag: "message", attrs: { notify: value } })
    expect(facts).toEqual(["message", `message @notify=${shape}`])
  },
)
