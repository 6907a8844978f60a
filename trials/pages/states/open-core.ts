import { accountHooks } from "#billing/account-hooks.ts"
import { Account } from "#core/account/account.ts"
import { Billing } from "#core/account/billing.ts"
import { Brand } from "#core/account/brand.ts"
import { Browser } from "#core/account/browser.ts"
import { Member } from "#core/account/member.ts"
import { Person } from "#core/account/person.ts"
import { SignIn } from "#core/account/sign-in.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { Host } from "#core/lease/host.ts"
import { Lease } from "#core/lease/lease.ts"
import { configure } from "#core/platform/config.ts"
import { updateRow } from "#core/store/store.ts"
import { tables } from "#core/store/tables.ts"
import type { Service } from "#test/support/service/service.ts"

/**
 * What a state needs of the service's inside, where people would have to wait for long, or to read their
 * mail.
 */
export async function openStore(service: Service) {
  configure({ ...process.env, ...service.environment })
  // An account's numbers are what it pays for.
  Billing.plugIn(accountHooks)
  return { Account, Brand, Browser, Member, Person, SignIn, Bridge, Host, Lease, updateRow, tables }
}

export type Store = Awaited<ReturnType<typeof openStore>>
