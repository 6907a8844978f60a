import { hostGroup } from "../network/groups.ts"
import { hostSubnets } from "../network/subnets.ts"
import { vpc } from "../network/vpc.ts"

export const cluster = new sst.aws.Cluster("Hosts", {
  vpc: {
    id: vpc.id,
    containerSubnets: hostSubnets.map(({ id }) => id),
    loadBalancerSubnets: [],
    securityGroups: [hostGroup.id],
  },
})
