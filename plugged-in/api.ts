// What can be taken out of the programs that answer requests. Billing: accounts pay for their bridges.
import "#billing/accounts.ts"
