import type { RouteConfig } from "@hono/zod-openapi"
import { openapi, type Operation } from "#contract/openapi.ts"
import { type RouteName, routes as contract } from "#contract/routes.ts"

/** A route of the contract: data to make requests from, and schemas to judge answers by. */
export interface Route {
  name: RouteName
  method: string
  path: string
  operation: Operation
  config: RouteConfig
}

export const routes: Route[] = Object.values(contract).flatMap((group) =>
  Object.entries(group).map(([name, config]: [string, RouteConfig]) => ({
    name: name as RouteName, // its keys, no others
    method: config.method.toUpperCase(),
    path: config.path,
    operation: operationOf(config),
    config,
  })),
)

function operationOf(config: RouteConfig): Operation {
  const operation = openapi().paths[config.path]?.[config.method]
  if (!operation) throw new Error(`the contract's ${config.method} ${config.path} is not in its document`)
  return operation
}

/** The route of a request, however its path is written; undefined if it belongs to none. */
export function routeAt(method: string, path: string): Route | undefined {
  const { pathname } = new URL(path, "http://localhost")
  return routes.find((route) => route.method === method && patternOf(route.path).test(pathname))
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`)
}
