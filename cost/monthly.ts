import { prices } from "./prices.ts"
import { assumed, atRest, billing, counted, sized } from "./usage.ts"

const hours = 730
const seconds = hours * 3600

export interface Load {
  bridges: number
  /** For each bridge and month: half of them in, half out. */
  messages: number
  /** For each bridge and month, beside them: messages in groups, and statuses, which are events as well. */
  groups?: number
  statuses?: number
  /** Whether customers pay by Stripe, which takes its own share of each payment beside this. */
  isBilled?: boolean
}

/** US dollars a month, by what they are paid for. */
export function monthly(load: Load): Record<string, number> {
  const hosts = Math.ceil((load.bridges + sized.spare) / sized.hostCapacity)
  const inbound = (load.bridges * load.messages) / 2
  const outbound = inbound
  const { groups = 0, statuses = 0 } = load
  return {
    "hosts (Fargate)": hosts * hours * (sized.hostVcpu * prices.vcpuHour + sized.hostGb * prices.gbHour),
    "hosts' public addresses": hosts * hours * prices.addressHour,
    "store, at rest": seconds * storeAtRest(hosts),
    "store, messages":
      inbound * units(counted.inbound.writeUnits, counted.inbound.readUnits) +
      outbound * units(counted.outbound.writeUnits, counted.outbound.readUnits),
    "store, kept":
      ((load.bridges * assumed.storedMbPerBridge) / 1000) * (prices.tableGbMonth + prices.recoveryGbMonth),
    "groups, told": load.bridges * groups * event(),
    "statuses, told": load.bridges * statuses * event(),
    "delivery (Lambda)":
      inbound * counted.inbound.deliveries * run(assumed.deliverySeconds * sized.deliveryGb),
    // Sent, received, deleted.
    "doorbells (SQS)":
      (inbound * counted.inbound.deliveries * 3 + hours * 60 * assumed.emptyPolls) * prices.sqsRequest,
    "API (Lambda, CloudFront)":
      outbound * (run(assumed.apiSeconds * sized.apiGb) + prices.routerRequest + prices.routerFunction),
    "sweep (Lambda)": hours * 60 * run(assumed.sweepSecondsPerMinute * sized.sweepGb),
    // At worst each delivery unwraps anew: a function's process remembers a key for minutes.
    "keys (KMS)": sized.keys * prices.kmsKeyMonth + inbound * prices.kmsRequest,
    endpoints: sized.endpoints * hours * prices.endpointHour,
    logs: ((inbound + outbound) * assumed.logKb * prices.logGb) / 1e6,
    "traffic out": ((inbound + outbound) * assumed.trafficKb * prices.trafficOutGb) / 1e6,
    "metrics, alarms, dashboard":
      sized.metrics * prices.metricMonth + sized.alarms * prices.alarmMonth + prices.dashboardMonth,
    ...(load.isBilled && {
      billing:
        hours * 60 * run(assumed.billingSecondsPerMinute * billing.gb) +
        billing.metrics * prices.metricMonth +
        billing.alarms * prices.alarmMonth,
    }),
  }
}

export function sum(bill: Record<string, number>): number {
  return Object.values(bill).reduce((total, dollars) => total + dollars, 0)
}

/** All that an event costs which comes in and is delivered. */
function event(): number {
  const { writeUnits, readUnits, deliveries } = counted.inbound
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

/** One invocation. */
function run(gbSeconds: number): number {
  return prices.lambdaRequest + gbSeconds * prices.lambdaGbSecond
}

/** A second. */
function storeAtRest(hosts: number): number {
  const { host, sweep } = atRest
  return units(hosts * host.writeUnits, hosts * (host.readUnits + sweep.readUnitsPerHost) + sweep.readUnits)
}
