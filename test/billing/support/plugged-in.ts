import { afterAll } from "vitest"
import { accountHooks } from "#billing/account-hooks.ts"
import { Billing } from "#core/account/billing.ts"
import { billingPages } from "#dashboard/billing/pages.ts"
import { wholeApp } from "#one-machine/api/whole-app.ts"
import { app, useApp } from "#test/support/service/app.ts"

/** Gives billing to this process, as its programs have it, for one test file. */
const before = app
Billing.plugIn(accountHooks)
useApp(wholeApp(billingPages))
afterAll(() => useApp(before))
