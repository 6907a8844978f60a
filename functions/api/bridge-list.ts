import type { z } from "zod"
import { type listBridges, mostInPage, mostWithoutPages } from "#contract/bridge.ts"
import type { ApiKey } from "#core/account/api-key.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { invalid } from "#core/error.ts"

type Asked = z.infer<typeof listBridges.request.query>

/**
 * The bridges that a key may see: a page in the order of references and where the next one begins, or all in
 * the order of creation.
 * @throws ApiError `invalid_request` if all are asked for, and are too many for one answer
 */
export async function listedFor(
  accountId: string,
  access: ApiKey.Access,
  { limit, after }: Asked,
): Promise<{ bridges: Bridge.Listed[]; next?: string | undefined }> {
  const isAll = limit === undefined && after === undefined
  const most = isAll ? mostWithoutPages : (limit ?? mostInPage)
  // One more shows that this is not the end; of the account's own a sandbox may be hidden.
  const some = await (access.bridges
    ? ofKey(accountId, access.bridges, after)
    : Bridge.listBrief(accountId, { most: most + 2, after }))
  const found = some.filter(Bridge.isVisible)
  const bridges = found.slice(0, most)
  const isMore = found.length > most
  if (!isAll) return { bridges, next: isMore ? bridges.at(-1)?.customerRef : undefined }
  if (!isMore) return { bridges: bridges.toSorted(Bridge.oldestFirst) }
  const message = `this account has more than ${most.toLocaleString("en")} bridges: ask for pages, with \`limit\` and \`after\``
  throw invalid([{ path: "limit", message }])
}

/** The bridges that a key is for, as far as they are there, in the order of their references. */
async function ofKey(
  accountId: string,
  named: { id: string; customerRef: string }[],
  after = "",
): Promise<Bridge.Info[]> {
  const wanted = named.filter(({ customerRef }) => customerRef > after)
  const found = await Promise.all(
    wanted.map(async ({ id, customerRef }) => {
      const bridge = await Bridge.find(accountId, customerRef)
      return bridge?.id === id ? [bridge] : []
    }),
  )
  return found.flat().toSorted((a, b) => (a.customerRef < b.customerRef ? -1 : 1))
}
