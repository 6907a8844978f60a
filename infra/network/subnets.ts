import { allZonesFilter, usableZones } from "../stage/check-region.ts"
import { inward, outward, vpc } from "./vpc.ts"

const zones = aws.getAvailabilityZonesOutput(allZonesFilter).zoneIds.apply(usableZones)

/** Session hosts: they dial the messaging network and fetch media. Public addresses cost less than a NAT. */
export const hostSubnets = [0, 1].map((i) =>
  subnet(`HostSubnet${i + 1}`, { zone: i, cidrBlock: `10.0.${i * 32}.0/19`, routeTable: outward }),
)

/** The function that calls hosts: no way to the internet, in or out. */
export const callsSubnets = [0, 1].map((i) =>
  subnet(`CallsSubnet${i + 1}`, { zone: i, cidrBlock: `10.0.${128 + i * 32}.0/19`, routeTable: inward }),
)

function subnet(name: string, about: { zone: number; cidrBlock: string; routeTable: aws.ec2.RouteTable }) {
  const made = new aws.ec2.Subnet(
    name,
    {
      vpcId: vpc.id,
      cidrBlock: about.cidrBlock,
      availabilityZoneId: zones.apply((ids) => ids[about.zone]),
      tags: { Name: `${$app.name}-${$app.stage}-${name}` },
    },
    // A subnet stays in its zone: a new one with the same addresses cannot be made before the old one is
    // gone.
    { ignoreChanges: ["availabilityZone", "availabilityZoneId"] },
  )
  new aws.ec2.RouteTableAssociation(name, { subnetId: made.id, routeTableId: about.routeTable.id })
  return made
}
