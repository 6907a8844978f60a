import { openapi } from "#functions/api/openapi.ts"

console.log(JSON.stringify(openapi(), undefined, 2))
