import { openapi } from "#functions/docs/openapi.ts"

console.log(JSON.stringify(openapi(), undefined, 2))
