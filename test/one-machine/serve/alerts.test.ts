import { createServer } from "node:net"
import { SMTPServer } from "smtp-server"
import { expect, onTestFinished, test, vi } from "vitest"
import { listen } from "#one-machine/listen.ts"
import { Alerts } from "#one-machine/serve/alerts.ts"
import { mailSender } from "#one-machine/serve/mail-server.ts"
import { Measurements } from "#one-machine/serve/measurements.ts"

/** Alerts that are told to a list. */
function anOperator(options: { isAway?: () => boolean; isFull?: () => boolean } = {}) {
  const told: string[] = []
  const measurements = new Measurements()
  const alerts = new Alerts({
    tell: async ({ name, isOver }) => {
      if (options.isAway?.()) throw new Error("nobody is reached")
      told.push(`${name} ${isOver ? "is over" : "rings"}`)
    },
    ofTheMachine: { DiskNearlyFull: options.isFull ?? (() => false) },
  })
  /** One minute in which these were measured; what was told after it. */
  const minute = async (values: Record<string, number[]> = {}) => {
    measurements.add(values)
    await alerts.minuteOver(measurements.minuteOver())
    return told.splice(0)
  }
  return { alerts, minute }
}

test("an alarm rings once, as soon as enough of the last minutes break its rule, and is over once", async () => {
  const { minute } = anOperator()
  const late = { EventOldestMs: [50, 121_000] }
  expect(await minute(late)).toEqual([])
  expect(await minute({ EventOldestMs: [120_000] })).toEqual([])
  expect(await minute(late)).toEqual([])
  expect(await minute(late)).toEqual(["EventOld rings"])
  expect(await minute(late)).toEqual([])
  for (let quiet = 0; quiet < 2; quiet++) expect(await minute()).toEqual([])
  expect(await minute()).toEqual(["EventOld is over"])
})

test("an alarm about a part of a whole takes no whole as too much, or as nothing missing, as on AWS", async () => {
  const { minute } = anOperator()
  const sessions = { SessionsUp: [9, 10], SessionsExpected: [10, 10] }
  for (let count = 0; count < 4; count++)
    expect(await minute({ ...sessions, Undelivered: [0], Attempts: [0] })).toEqual([])
  const down = { SessionsUp: [9, 9], SessionsExpected: [10, 10], Undelivered: [1], Attempts: [0] }
  for (let count = 0; count < 2; count++) expect(await minute(down)).toEqual([])
  expect(await minute(down)).toEqual(["Undelivered rings", "SessionsDown rings"])
  for (let count = 0; count < 2; count++)
    expect(await minute({ SessionsUp: [0], SessionsExpected: [0] })).toEqual([])
  expect(await minute({ SessionsUp: [0], SessionsExpected: [0] })).toEqual([
    "Undelivered is over",
    "SessionsDown is over",
  ])
})

test("an hourly rule adds up an hour", async () => {
  const { minute } = anOperator()
  for (let count = 0; count < 10; count++) expect(await minute({ MessagesParked: [1] })).toEqual([])
  expect(await minute({ MessagesParked: [1] })).toEqual(["MessagesParked rings"])
  for (let count = 0; count < 49; count++) expect(await minute()).toEqual([])
  expect(await minute()).toEqual(["MessagesParked is over"])
})

test("what could not be told is told a minute later, and the machine's own alarms ring like the others", async () => {
  let isAway = true
  let isFull = true
  const { alerts, minute } = anOperator({ isAway: () => isAway, isFull: () => isFull })
  expect(await minute()).toEqual([])
  expect(alerts.ringing.get("DiskNearlyFull")).toBe(true)
  isAway = false
  expect(await minute()).toEqual(["DiskNearlyFull rings"])
  isFull = false
  expect(await minute()).toEqual(["DiskNearlyFull is over"])
})

test("a session host's lines of metrics are read, and its other lines are left to the log", () => {
  const measurements = new Measurements()
  const line = { _aws: {}, service: "session-host", stage: "production", RssMb: [140], RetryReceipts: [2] }
  expect(measurements.addLine(JSON.stringify(line))).toBe(true)
  expect(measurements.addLine('{"level":30,"msg":"session connected"}')).toBe(false)
  expect(measurements.addLine("not JSON")).toBe(false)
  // A host that is killed may have written a part of its line.
  expect(measurements.addLine(JSON.stringify(line).slice(0, -3))).toBe(false)
  expect(Object.fromEntries(measurements.minuteOver())).toEqual({
    RssMb: { sum: 140, count: 1, maximum: 140 },
    RetryReceipts: { sum: 2, count: 1, maximum: 2 },
  })
})

test("each session host has gauges of its own, which go when it has said nothing for a while", async () => {
  vi.useFakeTimers({ toFake: ["performance"] })
  const measurements = new Measurements()
  const said = (hostId: string, RssMb: number) =>
    measurements.addLine(
      JSON.stringify({ service: "session-host", stage: "production", hostId, RssMb: [RssMb] }),
    )
  const shown = async () => (await measurements.expose()).text.match(/^bridge_rss_mb\{.*$/gm)
  said("one", 300)
  said("two", 900)
  expect(await shown()).toEqual(['bridge_rss_mb{host="one"} 300', 'bridge_rss_mb{host="two"} 900'])
  expect(measurements.minuteOver().get("RssMb")).toEqual({ sum: 1200, count: 2, maximum: 900 })
  vi.advanceTimersByTime(100_000)
  said("one", 310)
  vi.advanceTimersByTime(100_000)
  expect(await shown()).toEqual(['bridge_rss_mb{host="one"} 310'])
})

test("mail goes out by the operator's mail server, which is told who it is", async () => {
  const mails: string[] = []
  const server = new SMTPServer({
    hideSTARTTLS: true,
    allowInsecureAuth: true,
    authOptional: false,
    onAuth: ({ username, password }, _session, done) =>
      username === "wa" && password === "p@ss" ? done(null, { user: "wa" }) : done(new Error("wrong")),
    onData: (stream, _session, done) => {
      let mail = ""
      stream.setEncoding("utf8").on("data", (part: string) => (mail += part))
      stream.on("end", () => {
        mails.push(mail)
        done()
      })
    },
  })
  onTestFinished(() => server.close(() => {}))
  const port = await listen(server.server)
  const letter = { to: "ada@example.com", subject: "1234 is your code", text: "Your code: 1234" }
  await mailSender(`smtp://wa:p%40ss@127.0.0.1:${port}`, "wa@example.com")(letter)
  expect(mails.join()).toMatch(
    /From: wa@example\.com[^]*To: ada@example\.com[^]*Subject: 1234 is your code[^]*Your code: 1234/,
  )
  await expect(mailSender(`smtp://wa:wrong@127.0.0.1:${port}`, "wa@example.com")(letter)).rejects.toThrow(
    "wrong",
  )
})

test("a mail server that never greets is given up", async () => {
  const silent = createServer((socket) => void socket.on("error", () => {}))
  const port = await listen(silent)
  onTestFinished(() => void silent.close())
  const letter = { to: "ada@example.com", subject: "a", text: "b" }
  await expect(mailSender(`smtp://127.0.0.1:${port}`, "wa@example.com")(letter)).rejects.toThrow(
    /Greeting never received|Timeout/,
  )
})

test("a mail server that says a word now and then, and never takes the mail, is given up", async () => {
  const slow = createServer((socket) => {
    socket.write("220 welcome\r\n")
    const speaking = setInterval(() => socket.write("250-not yet\r\n"), 100)
    socket.on("error", () => {}).on("close", () => clearInterval(speaking))
  })
  const port = await listen(slow)
  onTestFinished(() => void slow.close())
  const letter = { to: "ada@example.com", subject: "a", text: "b" }
  await expect(mailSender(`smtp://127.0.0.1:${port}`, "wa@example.com")(letter)).rejects.toMatchObject({
    name: "AbortError",
  })
})
