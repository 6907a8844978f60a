"""
Applies what production asks of AWS to moto, a stand-in for AWS that judges more than an evaluation does: policy
documents, key schemas, alarm expressions, task definitions.

A part of `npm run infra:judges`. Composite alarms it does not know; of the others SST is the one who makes them.
"""

import json
from collections import Counter
from pathlib import Path

import boto3
from moto import mock_aws

REGION = "eu-central-1"
SECRET = "4dabf18193072939515e22adb298388d"
GRAPH = Path(__file__).parents[3] / ".sst/graph/production.json"


def plain(value):
    """A secret input is marked on its way to Pulumi's engine."""
    if isinstance(value, dict):
        return plain(value["value"]) if SECRET in value else {name: plain(one) for name, one in value.items()}
    return [plain(one) for one in value] if isinstance(value, list) else value


def document(value):
    return value if isinstance(value, str) else json.dumps(value)


def upper(value):
    """Pulumi's names begin with a small letter, boto3's with a capital."""
    if isinstance(value, dict):
        return {name[0].upper() + name[1:]: upper(one) for name, one in value.items()}
    return [upper(one) for one in value] if isinstance(value, list) else value


def client(service):
    return boto3.client(service, region_name=REGION)


def key_schema(of):
    return [
        {"AttributeName": of["hashKey"], "KeyType": "HASH"},
        {"AttributeName": of["rangeKey"], "KeyType": "RANGE"},
    ]


def table(name, i):
    indexes = [
        {
            "IndexName": one["name"],
            "KeySchema": key_schema(one),
            "Projection": {"ProjectionType": one["projectionType"]},
        }
        for one in i.get("globalSecondaryIndexes") or []
    ]
    client("dynamodb").create_table(
        TableName=i.get("name", name),
        BillingMode=i["billingMode"],
        AttributeDefinitions=[{"AttributeName": a["name"], "AttributeType": a["type"]} for a in i["attributes"]],
        KeySchema=key_schema(i),
        **({"GlobalSecondaryIndexes": indexes} if indexes else {}),
    )


def role(name, i):
    iam = client("iam")
    iam.create_role(RoleName=name, AssumeRolePolicyDocument=document(i["assumeRolePolicy"]))
    for one in i.get("inlinePolicies") or []:
        iam.put_role_policy(RoleName=name, PolicyName=one["name"], PolicyDocument=one["policy"])


def queue(name, i):
    attributes = {"FifoQueue": "true", "VisibilityTimeout": i.get("visibilityTimeoutSeconds", 30)}
    client("sqs").create_queue(QueueName=i.get("name", f"{name}.fifo"), Attributes={k: str(v) for k, v in attributes.items()})


def alarm(name, i):
    args = {k: v for k, v in i.items() if k not in ("name", "dimensions", "metricQueries", "tags", "okActions")}
    dimensions = lambda of: [{"Name": k, "Value": v} for k, v in of.items()]
    if i.get("dimensions"):
        args["dimensions"] = dimensions(i["dimensions"])
    args = upper(args) | {"OKActions": i.get("okActions", [])}
    if i.get("metricQueries"):
        args["Metrics"] = [
            {
                "Id": q["id"],
                "ReturnData": q.get("returnData", False),
                **({"Expression": q["expression"]} if "expression" in q else {}),
                **(
                    {
                        "MetricStat": {
                            "Metric": {
                                "Namespace": q["metric"]["namespace"],
                                "MetricName": q["metric"]["metricName"],
                                "Dimensions": dimensions(q["metric"]["dimensions"]),
                            },
                            "Period": q["metric"]["period"],
                            "Stat": q["metric"]["stat"],
                        }
                    }
                    if "metric" in q
                    else {}
                ),
            }
            for q in i["metricQueries"]
        ]
    client("cloudwatch").put_metric_alarm(AlarmName=name, **args)


def parameter(name, i):
    client("ssm").put_parameter(Name=i["name"], Type=i["type"], Value=i["value"])


def task(name, i):
    client("ecs").register_task_definition(
        family=i["family"],
        requiresCompatibilities=i["requiresCompatibilities"],
        networkMode=i["networkMode"],
        cpu=i["cpu"],
        memory=i["memory"],
        executionRoleArn=i["executionRoleArn"],
        taskRoleArn=i["taskRoleArn"],
        volumes=[{"name": one["name"]} for one in i["volumes"]],
        containerDefinitions=json.loads(i["containerDefinitions"]),
    )


made = {}


def vpc(name, i):
    made[name] = client("ec2").create_vpc(CidrBlock=i["cidrBlock"])["Vpc"]["VpcId"]


def subnet(name, i):
    """Of moto's zones, whose ids are its own."""
    ec2 = client("ec2")
    zones = [z["ZoneId"] for z in ec2.describe_availability_zones()["AvailabilityZones"]]
    zone = sorted(zones)[int(i["availabilityZoneId"][-1]) - 1]
    made[name] = ec2.create_subnet(VpcId=made["Network"], CidrBlock=i["cidrBlock"], AvailabilityZoneId=zone)["Subnet"]["SubnetId"]


def group(name, i):
    made[name] = client("ec2").create_security_group(
        GroupName=name, Description=i["description"], VpcId=made["Network"]
    )["GroupId"]


def rule(direction):
    def apply(name, i):
        if "prefixListId" in i:
            return
        permission = {"IpProtocol": i["ipProtocol"]}
        if "fromPort" in i:
            permission |= {"FromPort": i["fromPort"], "ToPort": i["toPort"]}
        if "referencedSecurityGroupId" in i:
            permission["UserIdGroupPairs"] = [{"GroupId": made[i["referencedSecurityGroupId"]]}]
        if "cidrIpv4" in i:
            permission["IpRanges"] = [{"CidrIp": i["cidrIpv4"]}]
        ec2 = client("ec2")
        group_id = made[i["securityGroupId"]]
        if direction == "egress" and permission["IpProtocol"] == "-1":
            # boto3's groups begin with it, Pulumi's without.
            return
        getattr(ec2, f"authorize_security_group_{direction}")(GroupId=group_id, IpPermissions=[permission])

    return apply


# In the order in which one needs the other.
HANDLERS = {
    "kms/key:Key": lambda name, i: client("kms").create_key(Description=i["description"]),
    "dynamodb/table:Table": table,
    "iam/role:Role": role,
    "iam/policy:Policy": lambda name, i: client("iam").create_policy(PolicyName=i["name"], PolicyDocument=i["policy"]),
    "sqs/queue:Queue": queue,
    "sns/topic:Topic": lambda name, i: client("sns").create_topic(Name=name),
    "cloudwatch/logGroup:LogGroup": lambda name, i: client("logs").create_log_group(logGroupName=i["name"]),
    "ssm/parameter:Parameter": parameter,
    "cloudwatch/metricAlarm:MetricAlarm": alarm,
    "cloudwatch/dashboard:Dashboard": lambda name, i: client("cloudwatch").put_dashboard(
        DashboardName=i["dashboardName"], DashboardBody=i["dashboardBody"]
    ),
    "ecs/taskDefinition:TaskDefinition": task,
    "ec2/vpc:Vpc": vpc,
    "ec2/subnet:Subnet": subnet,
    "ec2/securityGroup:SecurityGroup": group,
    "vpc/securityGroupIngressRule:SecurityGroupIngressRule": rule("ingress"),
    "vpc/securityGroupEgressRule:SecurityGroupEgressRule": rule("egress"),
}


@mock_aws
def main():
    resources = [{**one, "type": one["type"].removeprefix("aws:")} for one in json.loads(GRAPH.read_text())]
    applied = Counter()
    refused = []
    for kind, apply in HANDLERS.items():
        for one in (one for one in resources if one["type"] == kind):
            try:
                apply(one["name"], plain(one["inputs"]))
                applied[kind] += 1
            except Exception as error:  # noqa: BLE001: whatever it is, it is told
                refused.append(f"{kind} {one['name']}: {error}")
    left = Counter(one["type"] for one in resources if one["type"] not in HANDLERS)
    print(f"applied {applied.total()}: {dict(applied)}")
    print(f"not tried {left.total()}: {dict(left)}")
    print("\n".join(refused) or "moto: ok")
    return 1 if refused else 0


if __name__ == "__main__":
    raise SystemExit(main())
