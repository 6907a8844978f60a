import { z } from "zod"
import type { State } from "./state.ts"
import { people, type World } from "./world.ts"

const at = "/subscription"
const { broke, payer, friend, apprentice } = people
/** Cards of the pretend Stripe. */
const fails = "4000 0000 0000 0341"
const pays = "4242 4242 4242 4242"

/** Billing. The pretend Stripe has one clock, so these follow one another. */
export const billing: State[] = [
  { name: "billing-none", as: broke, reach: () => at, reads: "Your first number begins it." },
  {
    name: "billing-none-first-number",
    as: broke,
    reach: async ({ send }) => await send(broke, "/new-number", { customer_ref: "shop", webhook_url: "" }),
    reads: "Start 7 days free and link shop",
  },
  {
    name: "billing-trial",
    as: broke,
    reach: async (world) => {
      await pay(world, broke, fails)
      await world.send(payer, "/new-number", { customer_ref: "shop", webhook_url: "" })
      await pay(world, payer, pays)
      return at
    },
    reads: "Your free trial",
  },
  {
    name: "billing-past-due",
    as: broke,
    reach: async (world) => {
      await passDays(world, 8)
      return at
    },
    reads: "A payment has failed",
  },
  { name: "number-past-due", as: broke, reach: () => "/numbers/shop", reads: "Your numbers run for now" },
  { name: "billing-active", as: payer, reach: () => at, reads: "Next charge" },
  {
    name: "billing-canceled",
    as: payer,
    reach: async (world) => {
      await fetch(await world.send(payer, "/subscription/cancel"), { method: "POST", redirect: "manual" })
      await world.open(payer, "/subscription/changed")
      return at
    },
    reads: "You have canceled.",
  },
  {
    name: "billing-unpaid",
    as: broke,
    reach: async (world) => {
      await passDays(world, 16)
      return at
    },
    reads: "Their data is kept until",
  },
  { name: "number-unpaid", as: broke, reach: () => "/numbers/shop", reads: "A payment is missing." },
  {
    name: "billing-ended",
    as: payer,
    reach: async (world) => {
      await passDays(world, 16)
      return at
    },
    reads: "Your subscription has ended",
  },
  { name: "numbers-ended", as: payer, reach: () => "/numbers", reads: "Your subscription has ended" },
  {
    name: "billing-by-hand-none",
    as: friend,
    reach: async (world) => {
      await world.open(friend, "/")
      await byHand(world, friend, "canceled")
      return at
    },
    reads: "Ask them for another one.",
  },
  {
    name: "billing-by-hand-beside-stripe",
    as: broke,
    reach: async (world) => {
      await byHand(world, broke, "active")
      return at
    },
    reads: "Your subscription at Stripe goes on",
  },
  { name: "billing-viewer", as: apprentice, reach: () => at, reads: "operator of this service has set" },
]

/** Pays for the number that is wanted, on Stripe's page. */
async function pay({ send, open }: World, email: string, card: string): Promise<void> {
  const page = await send(email, "/subscription/begin")
  await fetch(page, { method: "POST", body: new URLSearchParams({ card }), redirect: "manual" })
  await open(email, "/subscription/return")
}

/** Days pass at the pretend Stripe, and the service looks at what happened to both. */
async function passDays({ service, open }: World, days: number): Promise<void> {
  const desk = service.environment.STRIPE_API_BASE! // it runs with a pretend Stripe
  await fetch(`${desk}/advance`, { method: "POST", body: new URLSearchParams({ days: String(days) }) })
  for (const email of [broke, payer]) await open(email, "/subscription/changed")
}

/** The operator sets the state of the account that this person made. */
async function byHand({ service, store }: World, email: string, state: string): Promise<void> {
  const { madeAccountId } = await store.Person.findOrMake(email)
  await service.admin(z.unknown(), "account", "subscription", madeAccountId!, state)
}
