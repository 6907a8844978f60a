import { isDeepStrictEqual } from "node:util"
import { Event } from "#contract/event.ts"
import { type Arrival, startReceiver } from "../support/service/start-receiver.ts"

type OfType<Type extends Event["event"]> = Extract<Event, { event: Type }>

/**
 * A customer's receiver, and the events that came to it. An event that is not genuine, or not as documented,
 * is a fault.
 */
export async function startWebhook() {
  const refusing = new Set<string>()
  const receiver = await startReceiver(({ bridge, body }) => {
    const { event } = JSON.parse(body.toString()) as Event // as documented, or a fault
    return refusing.delete(`${bridge} ${event}`) ? 400 : 200
  })
  const { arrivals, until } = receiver
  const of = (ref: string) => arrivals.filter(({ bridge }) => bridge === ref).flatMap(eventIn)

  return {
    urlOf: receiver.urlOf,
    trust: receiver.trust,
    stop: receiver.stop,
    /** Answers the next delivery of such an event for a bridge with 400. */
    refuseNext: (ref: string, type: Event["event"]) => void refusing.add(`${ref} ${type}`),
    /** The faults in the deliveries, as a customer's receiver would see them. */
    faults: () => arrivals.flatMap(faultsOf),
    /** Every event that came for a bridge, in order. */
    of,
    /** The first event of this type that matches, as soon as there is one. */
    event: <Type extends Event["event"]>(
      ref: string,
      type: Type,
      matches: (event: OfType<Type>) => boolean = () => true,
    ): Promise<OfType<Type>> =>
      until(() =>
        of(ref).find(
          // Just compared.
          (event): event is OfType<Type> => event.event === type && matches(event as OfType<Type>),
        ),
      ),
  }
}

function eventIn({ body }: Arrival): Event | [] {
  const { customer_ref, ...told } = JSON.parse(body.toString()) as { customer_ref?: string }
  const event = Event.safeParse(told).data
  // At an account's webhook, the event is followed by the bridge that it is of.
  return event ? { ...event, ...(customer_ref !== undefined && { customer_ref }) } : []
}

function faultsOf({ body, genuine }: Arrival): string[] {
  const { customer_ref: _, ...told } = JSON.parse(body.toString()) as { customer_ref?: string }
  // Parsing drops whatever the contract does not have, at any depth.
  const isDocumented = isDeepStrictEqual(Event.safeParse(told).data, told)
  return [
    ...(genuine ? [] : [`not genuine: ${body.toString()}`]),
    ...(isDocumented ? [] : [`not as documented: ${body.toString()}`]),
  ]
}
