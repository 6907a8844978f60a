import { createHash, timingSafeEqual } from "node:crypto"
import type { IncomingMessage, ServerResponse } from "node:http"
import { setInterval as eachOf } from "node:timers/promises"
import { Mail } from "#core/account/mail.ts"
import { Troubles } from "#core/account/troubles.ts"
import { postJson } from "#core/fetch/post-json.ts"
import { iso, nowMs } from "#core/platform/clock.ts"
import { config } from "#core/platform/config.ts"
import { DiskRoom } from "#core/platform/disk-room.ts"
import { log } from "#core/platform/log.ts"
import { Metrics } from "#core/platform/metrics.ts"
import { HourlyBackups } from "../backup/hourly.ts"
import type { Serving } from "../service/settings.ts"
import { Alerts } from "./alerts.ts"
import { mailSender } from "./mail-server.ts"
import type { Measurements } from "./measurements.ts"
import { readiness } from "./readiness.ts"

const minuteMs = 60_000

/**
 * Watches a service that customers use: answers `/readyz` and `/metrics`, and tells the operator of what
 * would page an operator on AWS. Nothing waits for the mail server or the alerts' webhook.
 * @returns the answer to a request for one of these paths, or false for any other path; and a function that
 * ends it
 */
export function watch(serving: Serving, measurements: Measurements, dataDir: string) {
  Metrics.sendTo((values) => measurements.add(values))
  if (serving.SMTP_URL !== "") Mail.useSender(mailSender(serving.SMTP_URL, serving.MAIL_FROM))
  const backups = serving.backups && new HourlyBackups({ ...serving.backups, dataDir })
  if (!backups) log.warn("no backups are made: BACKUP_DIR says where they should be (docs/backup.md)")
  backups?.backUpIfDue()
  const alerts = new Alerts({
    tell: async (alert) => await tell(serving, alert),
    ofTheMachine: {
      DiskNearlyFull: () => !DiskRoom.hasRoomToSpare(),
      BackupOld: () => backups?.isOld ?? false,
    },
  })
  const ending = new AbortController()
  void each(minuteMs, ending.signal, async () => {
    backups?.backUpIfDue()
    Metrics.flush()
    await alerts.minuteOver(measurements.minuteOver())
  })
  Troubles.setReporting(true)
  void each(minuteMs, ending.signal, Troubles.report)
  const answer = (request: IncomingMessage, response: ServerResponse): boolean => {
    const path = request.url?.split("?")[0]
    if (path !== "/readyz" && path !== "/metrics") return false
    const answering = path === "/readyz" ? readyz(response) : metrics(request, response)
    answering.catch((error: unknown) => {
      log.error({ error, path }, "a request of the operator's was not answered")
      response.writeHead(500).end()
    })
    return true
  }
  const metrics = async (request: IncomingMessage, response: ServerResponse) => {
    if (!isAllowed(serving, request)) {
      response.setHeader("www-authenticate", "Bearer")
      return send(response, serving.METRICS_TOKEN === "" ? 404 : 401, "text/plain", "")
    }
    Metrics.flush()
    const ofBackups = backups && { backup_age_s: backups.ageS, backup_failed: Number(backups.hasFailed) }
    measurements.show({ disk_free_mb: DiskRoom.free(), ...ofBackups }, alerts.ringing)
    const { text, contentType } = await measurements.expose()
    send(response, 200, contentType, text)
  }
  const stop = async () => {
    ending.abort()
    Troubles.setReporting(false)
    await backups?.settled()
  }
  return { answer, stop }
}

async function readyz(response: ServerResponse): Promise<void> {
  const parts = await readiness()
  const isReady = Object.values(parts).every(Boolean)
  send(response, isReady ? 200 : 503, "application/json", JSON.stringify({ ok: isReady, ...parts }))
}

function send(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, { "content-type": type, "cache-control": "no-store" }).end(body)
}

function isAllowed({ METRICS_TOKEN: token }: Serving, request: IncomingMessage): boolean {
  const given = /^Bearer (.+)$/i.exec(request.headers.authorization ?? "")?.[1] ?? ""
  return token !== "" && timingSafeEqual(digest(given), digest(token))
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest()
}

async function each(ms: number, signal: AbortSignal, work: () => Promise<void>): Promise<void> {
  try {
    for await (const _ of eachOf(ms, undefined, { signal, ref: false }))
      await work().catch((error: unknown) => log.error({ error }, "a minute's look failed"))
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

/** Tells the operator in each way that is set. @throws when none worked */
async function tell(serving: Serving, alert: { name: string; isOver: boolean }): Promise<void> {
  log.warn(alert, "an alarm changed")
  const ways = [
    ...(serving.SMTP_URL === "" ? [] : [mailed(serving, alert)]),
    ...(serving.ALERT_URL === "" ? [] : [posted(serving.ALERT_URL, alert)]),
  ]
  const outcomes = await Promise.allSettled(ways)
  if (ways.length > 0 && outcomes.every(({ status }) => status === "rejected"))
    throw new Error("no way to the operator worked")
}

async function mailed(serving: Serving, { name, isOver }: { name: string; isOver: boolean }): Promise<void> {
  const text = [
    isOver ? `${name} is over.` : `${name} rings.`,
    "",
    `At ${iso(nowMs())}, at ${serving.PUBLIC_URL}. See "${name}" in docs/operations.md for what it means, and what to do.`,
  ].join("\n")
  const subject = `${isOver ? "Over" : "Alarm"}: ${name} (${new URL(serving.PUBLIC_URL).host})`
  if (!(await Mail.send({ to: serving.OPERATOR_EMAIL, subject, text })))
    throw new Error("the mail was not sent")
}

async function posted(url: string, { name, isOver }: { name: string; isOver: boolean }): Promise<void> {
  await postJson(url, "alerts", {
    alarm: name,
    state: isOver ? "over" : "ringing",
    at: iso(nowMs()),
    url: config.PUBLIC_URL,
  })
}
