import { z } from "zod"
import { prices, regions } from "./prices.ts"
import {
  assumed,
  requestsAtRest,
  billing,
  counted,
  fullerHostGb,
  small,
  openStreams,
  sized,
  spareSessions,
} from "./usage.ts"

const hours = 730
const minutes = hours * 60
const seconds = hours * 3600

/** How often a key's rotation makes it dearer. */
const rotationsPaidFor = 2

const many = z.coerce.number().min(0)
const whole = z.coerce.number().int().min(0)

/** What a stage has to carry: the options of `npm run cost`, with their defaults. */
export const Load = z.object({
  bridges: whole,
  /** For each bridge and month: half of them in, half out. */
  messages: many.default(1000),
  /** For each bridge and month, beside them: messages in groups, and statuses, which are events as well. */
  groups: many.default(0),
  statuses: many.default(0),
  /** For how many days each bridge keeps its messages; 0: it does not. */
  keep: whole.max(90).default(0),
  /** Webhooks of each bridge beside its first, each of which gets all that comes in. */
  webhooks: many.default(0),
  /** Log and event streams, and pages of the dashboard, that are open at any time. */
  streams: many.default(0),
  pages: many.default(0),
  /** The year of the stage's life: its keys are rotated each year. */
  year: whole.min(1).default(1),
  stage: z.enum(["production", "staging", "personal"]).default("production"),
  /** How many sessions a host has, and whether it runs on Spot: settings of a deploy. */
  sessions: whole.min(1).max(250).default(sized.hostCapacity),
  spot: z.boolean().default(false),
  region: z.enum(Object.keys(regions)).default("us-east-1"),
  /** Whether customers pay by Stripe, which takes its own share of each payment beside this. */
  billing: z.boolean().default(false),
})

/** US dollars a month, by what they are paid for. */
export function monthlyBill(load: z.output<typeof Load>): Record<string, number> {
  const there = regions[load.region] ?? 1
  const { [sameEverywhere]: keys = 0, ...others } = inVirginia(load)
  const dearer = Object.fromEntries(Object.entries(others).map(([name, dollars]) => [name, dollars * there]))
  return { ...dearer, [sameEverywhere]: keys }
}

const sameEverywhere = "keys (KMS), health check"

/** The bill in us-east-1. */
function inVirginia(load: z.output<typeof Load>): Record<string, number> {
  const { stage, groups, statuses, keep, webhooks, streams, pages, year } = load
  const hosts = Math.ceil((load.bridges + spareSessions[stage]) / load.sessions)
  const { sweepGb } = load.sessions <= small.hostSessions ? small : sized
  const inbound = (load.bridges * load.messages) / 2
  const outbound = inbound
  return {
    "hosts (Fargate)": hosts * hours * hostHour(load),
    "hosts' public addresses": hosts * hours * prices.addressHour,
    "store, at rest": seconds * storeAtRest(hosts),
    "store, messages":
      inbound * units(counted.inbound.writeUnits, counted.inbound.readUnits) +
      outbound * units(counted.outbound.writeUnits, counted.outbound.readUnits),
    "store, kept":
      ((load.bridges * assumed.storedMbPerBridge) / 1000) * (prices.tableGbMonth + prices.recoveryGbMonth),
    "messages, kept": keep === 0 ? 0 : kept(inbound + outbound + load.bridges * groups, keep),
    "groups, told": load.bridges * groups * event(counted.inbound),
    "statuses, told": load.bridges * statuses * event(counted.inbound),
    "further webhooks":
      load.bridges * webhooks * (load.messages / 2 + groups + statuses) * event(counted.webhook),
    "delivery (Lambda)":
      inbound * counted.inbound.deliveries * run(assumed.deliverySeconds * sized.deliveryGb),
    // Sent, received, deleted.
    "doorbells (SQS)":
      (inbound * counted.inbound.deliveries * 3 + minutes * assumed.emptyPolls) * prices.sqsRequest,
    "API (Lambda, CloudFront)":
      outbound *
      (throughRouter(assumed.apiSeconds * sized.apiGb) + run(assumed.callsSeconds * sized.callsGb)),
    "streams that are open": streams * seconds * whileOpen(openStreams.stream, sized.streamGb),
    "pages that are open": pages * seconds * whileOpen(openStreams.page, sized.pageGb),
    "sweep (Lambda, Scheduler)": minutes * (run(sweepSeconds(hosts) * sweepGb) + prices.scheduled),
    "troubles (Lambda, Scheduler)":
      minutes * (run(assumed.troublesSecondsPerMinute * sized.troublesGb) + prices.scheduled) +
      seconds * units(0, requestsAtRest.troubles.readUnits),
    // At worst each delivery unwraps anew: a function's process remembers a key for minutes.
    [sameEverywhere]:
      prices.healthCheckMonth +
      sized.keys * prices.kmsKeyMonth * (1 + Math.min(year - 1, rotationsPaidFor)) +
      inbound * prices.kmsRequest,
    "logs, images":
      (((inbound + outbound) * assumed.logKb +
        minutes * (hosts * assumed.hostLogKbPerMinute + sweepLogKb(hosts))) *
        prices.logGb) /
        1e6 +
      assumed.imageGb * prices.imageGbMonth,
    "looks from outside": seconds * assumed.checks * throughRouter(assumed.checkSeconds * sized.apiGb),
    media: media(inbound + outbound),
    "functions' starts (Lambda)":
      inbound * counted.inbound.deliveries * start(sized.deliveryGb) +
      outbound * (start(sized.apiGb) + start(sized.callsGb)),
    "traffic between zones": (outbound * assumed.trafficKb * assumed.otherZone * prices.zonesGb) / 1e6,
    "traffic out": ((inbound + outbound) * assumed.trafficKb * prices.trafficOutGb) / 1e6,
    metrics:
      (sized.metrics - (1 - assumed.troubledHours) * sized.metricsOfTrouble.length) * prices.metricMonth,
    "alarms, dashboard": sized.alarms * prices.alarmMonth + prices.dashboardMonth,
    ...(load.billing && {
      billing:
        minutes * (run(assumed.billingSecondsPerMinute * billing.gb) + prices.scheduled) +
        billing.metrics * prices.metricMonth +
        billing.alarms * prices.alarmMonth,
    }),
  }
}

/** A host's processor and memory. */
function hostHour({ sessions, spot }: z.output<typeof Load>): number {
  const full = sized.hostVcpu * prices.vcpuHour + hostGb(sessions) * prices.gbHour
  return spot ? full * prices.spotShare : full
}

function hostGb(sessions: number): number {
  if (sessions <= small.hostSessions) return small.hostGb
  return sessions > sized.hostCapacity ? fullerHostGb : sized.hostGb
}

/** The files of these messages: each goes out of AWS once, to a customer or to the network. */
function media(messages: number): number {
  const files = messages * assumed.withFile
  const gb = (files * assumed.fileMb) / 1000
  return (
    files * (prices.s3Write + 2 * prices.s3Read) +
    gb * (prices.trafficOutGb + assumed.fileMonths * prices.s3GbMonth)
  )
}

/** Of a minute. */
function sweepSeconds(hosts: number): number {
  return hosts === 0 ? assumed.sweepSecondsPerMinuteAtRest : assumed.sweepSecondsPerMinute
}

/** In a minute: at rest it writes as much at one look as else at one of ten. */
function sweepLogKb(hosts: number): number {
  return hosts === 0 ? assumed.sweepLogKbPerMinute / 10 : assumed.sweepLogKbPerMinute
}

/** The cost of a function for each second in which a client or a browser listens to it. */
function whileOpen(what: (typeof openStreams)["stream" | "page"], gb: number): number {
  return (
    gb * prices.lambdaGbSecond +
    what.requests * (prices.lambdaRequest + prices.routerRequest + prices.routerFunction) +
    what.calls * run(openStreams.callSeconds * sized.callsGb) +
    units(what.writeUnits, what.readUnits)
  )
}

export function sum(bill: Record<string, number>): number {
  return Object.values(bill).reduce((total, dollars) => total + dollars, 0)
}

/** Messages of a month that are written down, and stay for some days. */
function kept(messages: number, days: number): number {
  const gb = (messages * (days / 30) * assumed.keptKb) / 1e6
  return (
    messages * units(counted.kept.writeUnits, counted.kept.readUnits) +
    gb * (prices.tableGbMonth + prices.recoveryGbMonth)
  )
}

/** All that an event costs which comes in and is delivered, or its delivery to a further webhook. */
function event({ writeUnits, readUnits, deliveries }: typeof counted.inbound): number {
  return (
    units(writeUnits, readUnits) +
    deliveries * (run(assumed.deliverySeconds * sized.deliveryGb) + 3 * prices.sqsRequest) +
    prices.kmsRequest +
    (assumed.logKb * prices.logGb + assumed.trafficKb * prices.trafficOutGb) / 1e6
  )
}

function units(writes: number, reads: number): number {
  return writes * prices.writeUnit + reads * prices.readUnit
}

/** A call's part of the starts of a function's processes. */
function start(gb: number): number {
  return (gb * assumed.initSeconds * prices.lambdaGbSecond) / assumed.callsPerInit
}

/** One call that comes through the router. */
function throughRouter(gbSeconds: number): number {
  return run(gbSeconds) + prices.routerRequest + prices.routerFunction
}

/** One invocation. */
function run(gbSeconds: number): number {
  return prices.lambdaRequest + gbSeconds * prices.lambdaGbSecond
}

/** A second. */
function storeAtRest(hosts: number): number {
  const { host, sweep } = requestsAtRest
  if (hosts === 0) return units(0, sweep.readUnitsAtRest)
  return units(hosts * host.writeUnits, hosts * (host.readUnits + sweep.readUnitsPerHost) + sweep.readUnits)
}
