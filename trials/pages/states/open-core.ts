import { configure } from "#core/platform/config.ts"
import type { Service } from "#test/support/service/service.ts"

/**
 * What a state needs of the service's inside, where people would have to wait for long, or to read their
 * mail.
 */
export async function openStore(service: Service) {
  // The store's address is read when it is asked first.
  configure({ ...process.env, ...service.environment })
  const [{ Account }, { Brand }, { Browser }, { Member }, { Person }, { SignIn }] = await Promise.all([
    import("#core/account/account.ts"),
    import("#core/account/brand.ts"),
    import("#core/account/browser.ts"),
    import("#core/account/member.ts"),
    import("#core/account/person.ts"),
    import("#core/account/sign-in.ts"),
  ])
  // An account's numbers are what it pays for.
  await import("#functions/plugged-in.ts")
  const [{ Bridge }, { Host }, { Lease }, { updateRow }, { tables }] = await Promise.all([
    import("#core/bridge/bridge.ts"),
    import("#core/lease/host.ts"),
    import("#core/lease/lease.ts"),
    import("#core/store/store.ts"),
    import("#core/store/tables.ts"),
  ])
  return { Account, Brand, Browser, Member, Person, SignIn, Bridge, Host, Lease, updateRow, tables }
}

export type Store = Awaited<ReturnType<typeof openStore>>
