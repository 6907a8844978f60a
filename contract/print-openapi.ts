import { openapi } from "#contract/openapi.ts"

console.log(JSON.stringify(openapi(), undefined, 2))
