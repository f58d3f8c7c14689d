import { since135, since136 } from '../changes.ts';
import type { ContractCase, Step } from '../contract-case.ts';
import { type InvalidField, invalid } from '../errors.ts';
import { deployment, ingress, paths } from '../objects.ts';
import { mergePatch, post } from '../requests.ts';

const { deployments, ingresses } = paths;
const address = 'status.loadBalancer.ingress[0]';

const reached = (...addresses: readonly object[]) =>
  mergePatch(`${ingresses}/x/status`, { status: { loadBalancer: { ingress: addresses } } });

const unreachable = (one: object, ...fields: readonly InvalidField[]): Step => ({
  request: reached(one),
  expect: { status: 422, error: invalid('Ingress.networking.k8s.io', 'x', fields) },
});

const wrongStatus = (status: object, ...fields: readonly InvalidField[]): Step => ({
  request: mergePatch(`${deployments}/x/status`, { status }),
  expect: { status: 422, error: invalid('Deployment.apps', 'x', fields) },
});

const negative = 'Invalid value: -1: must be greater than or equal to 0';
const exceeds = 'Invalid value: 0: cannot be greater than status.replicas';
const noAddress = 'must be a DNS name, not an IP address';

export const cases: readonly ContractCase[] = [
  {
    id: 'ingress',
    reason: 'the status of an Ingress holds addresses or names',
    steps: [
      { request: post(ingresses, ingress('x')), expect: { status: 201 } },
      unreachable({ ip: 'y' }, [
        `${address}.ip`,
        'Invalid value: "y": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
      ]),
      {
        ...unreachable({ ip: '01.2.3.4' }, [
          `${address}.ip`,
          'Invalid value: "01.2.3.4": must not have leading 0s',
        ]),
        since: since136.addresses,
      },
      unreachable({ hostname: 'Y_' }, [
        `${address}.hostname`,
        "Invalid value: \"Y_\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
      ]),
      ...['1.2.3.4', '010.1.1.1'].map((hostname) =>
        unreachable({ hostname }, [
          `${address}.hostname`,
          `Invalid value: "${hostname}": ${noAddress}`,
        ]),
      ),
      {
        request: reached({ ip: '1.2.3.4' }, { ip: '::1' }, { hostname: 'a.b', ip: '' }),
        expect: { status: 200 },
      },
    ],
  },
  {
    id: 'deployment',
    reason: 'a missing count is shown as zero',
    steps: [
      { request: post(deployments, deployment('x', { paused: true })), expect: { status: 201 } },
      {
        ...wrongStatus(
          { unavailableReplicas: -1, terminatingReplicas: -1, collisionCount: -1 },
          ['status.unavailableReplicas', negative],
          ['status.terminatingReplicas', negative],
          ['status.collisionCount', negative],
        ),
        since: since135.terminatingReplicas,
      },
      wrongStatus(
        { replicas: -1 },
        ['status.replicas', negative],
        ['status.updatedReplicas', exceeds],
        ['status.readyReplicas', exceeds],
        ['status.availableReplicas', exceeds],
      ),
    ],
  },
];
