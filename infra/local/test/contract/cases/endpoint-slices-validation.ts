import { since136 } from '../changes.ts';
import type { ContractCase, Step } from '../contract-case.ts';
import { type InvalidField, invalid } from '../errors.ts';
import { type Judged, judged } from '../judged.ts';
import { endpointSlice, paths } from '../objects.ts';
import { put } from '../requests.ts';

const kind = 'EndpointSlice.discovery.k8s.io';
const steps = (rows: Parameters<typeof judged>[2]) => judged(paths.endpointSlices, kind, rows);

const slice = (fields: object, ...want: readonly InvalidField[]): Judged => ({
  given: endpointSlice('x', fields),
  want: want.length === 0 ? 'accepted' : want,
});

const endpoint = (fields: object, ...want: readonly InvalidField[]): Judged =>
  slice({ endpoints: [{ addresses: ['10.0.0.1'], ...fields }] }, ...want);

const addresses = (
  addressType: string,
  texts: readonly string[],
  ...want: readonly InvalidField[]
): Judged => slice({ addressType, endpoints: [{ addresses: texts }] }, ...want);

const many = (length: number, make: (at: number) => unknown): readonly unknown[] =>
  Array.from({ length }, (_, at) => make(at));

const notLabel =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const notSubdomain =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const notAddress = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';

export const cases: readonly ContractCase[] = [
  {
    id: 'types',
    reason: 'all addresses are of one type',
    steps: steps([
      slice({ addressType: '' }, ['addressType', 'Required value', 'FieldValueRequired']),
      slice({ addressType: 'IP' }, [
        'addressType',
        'Unsupported value: "IP": supported values: "FQDN", "IPv4", "IPv6"',
        'FieldValueNotSupported',
      ]),
      addresses('IPv4', ['10.0.0.1', '10.0.0.2']),
      {
        ...addresses(
          'IPv4',
          ['010.0.0.1'],
          ['endpoints[0].addresses[0]', 'Invalid value: "010.0.0.1": must not have leading 0s'],
        ),
        since: since136.addresses,
      },
      addresses('IPv6', ['2001:db8::1']),
      addresses('FQDN', ['a.example', 'b.example.']),
    ]),
  },
  {
    id: 'addresses',
    reason: 'a proxy sends traffic to these addresses, so none may be a special one',
    steps: steps([
      addresses('IPv4', ['x'], ['endpoints[0].addresses[0]', `Invalid value: "x": ${notAddress}`]),
      addresses(
        'IPv4',
        ['10.0.0.1', '2001:db8::1'],
        ['endpoints[0].addresses', 'Invalid value: "2001:db8::1": must be an IPv4 address'],
      ),
      addresses(
        'IPv4',
        ['0.0.0.0', '127.0.0.1', '169.254.1.1', '224.0.0.1'],
        ['endpoints[0].addresses[0]', 'Invalid value: "0.0.0.0": may not be unspecified (0.0.0.0)'],
        [
          'endpoints[0].addresses[1]',
          'Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128)',
        ],
        [
          'endpoints[0].addresses[2]',
          'Invalid value: "169.254.1.1": may not be in the link-local range (169.254.0.0/16, fe80::/10)',
        ],
        [
          'endpoints[0].addresses[3]',
          'Invalid value: "224.0.0.1": may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)',
        ],
      ),
      addresses(
        'IPv6',
        ['10.0.0.1', 'x', '::1', '::ffff:10.0.0.1'],
        ['endpoints[0].addresses', 'Invalid value: "10.0.0.1": must be an IPv6 address'],
        ['endpoints[0].addresses[1]', `Invalid value: "x": ${notAddress}`],
        [
          'endpoints[0].addresses[2]',
          'Invalid value: "::1": may not be in the loopback range (127.0.0.0/8, ::1/128)',
        ],
        [
          'endpoints[0].addresses[3]',
          'Invalid value: "::ffff:10.0.0.1": must not be an IPv4-mapped IPv6 address',
        ],
      ),
      addresses(
        'FQDN',
        ['', 'example', 'A.example', `${'a'.repeat(64)}.example`],
        ['endpoints[0].addresses[0]', 'Required value', 'FieldValueRequired'],
        [
          'endpoints[0].addresses[1]',
          'Invalid value: "example": should be a domain with at least two segments separated by dots',
        ],
        ['endpoints[0].addresses[2]', `Invalid value: "A.example": ${notSubdomain}`],
        [
          'endpoints[0].addresses[3]',
          `Invalid value: "${'a'.repeat(64)}": must be no more than 63 characters`,
        ],
      ),
      addresses(
        'IPv4',
        [],
        [
          'endpoints[0].addresses',
          'Required value: must contain at least 1 address',
          'FieldValueRequired',
        ],
      ),
      slice({ endpoints: [{}] }, [
        'endpoints[0].addresses',
        'Required value: must contain at least 1 address',
        'FieldValueRequired',
      ]),
    ]),
  },
  {
    id: 'bounds',
    reason: 'the server bounds every list',
    steps: steps([
      addresses('IPv4', many(101, (at) => `10.0.0.${at}`) as string[], [
        'endpoints[0].addresses',
        'Too many: 101: must have at most 100 items',
        'FieldValueTooMany',
      ]),
      slice({ endpoints: many(1001, () => ({ addresses: ['10.0.0.1'] })) }, [
        'endpoints',
        'Too many: 1001: must have at most 1000 items',
        'FieldValueTooMany',
      ]),
      endpoint({ hints: { forZones: many(9, (at) => ({ name: `z${at}` })) } }, [
        'endpoints[0].hints.forZones',
        'Too many: 9: must have at most 8 items',
        'FieldValueTooMany',
      ]),
    ]),
  },
  {
    id: 'endpoints',
    reason: 'names in an endpoint are names of objects',
    steps: steps([
      endpoint({ nodeName: 'node-1', hostname: 'a', hints: { forZones: [{ name: 'z' }] } }),
      endpoint({ nodeName: 'A' }, ['endpoints[0].nodeName', `Invalid value: "A": ${notSubdomain}`]),
      endpoint({ hostname: 'a.b' }, [
        'endpoints[0].hostname',
        'Invalid value: "a.b": must not contain dots',
      ]),
      endpoint({ hints: { forZones: [{ name: 'z' }, { name: 'z' }] } }, [
        'endpoints[0].hints.forZones[1].name',
        'Duplicate value: "z"',
        'FieldValueDuplicate',
      ]),
      endpoint({ hints: { forNodes: [{ name: 'A' }] } }, [
        'endpoints[0].hints.forNodes[0].name',
        `Invalid value: "A": ${notSubdomain}`,
      ]),
    ]),
  },
  {
    id: 'ports',
    reason: 'Services find ports by name',
    steps: steps([
      slice({ ports: [{ port: 80 }, { name: 'b', port: 81, appProtocol: 'kubernetes.io/h2c' }] }),
      slice({ ports: [{ port: 80 }, { port: 81 }] }, [
        'ports[1].name',
        'Duplicate value: ""',
        'FieldValueDuplicate',
      ]),
      slice({ ports: [{ name: 'A' }] }, ['ports[0].name', `Invalid value: "A": ${notLabel}`]),
      slice({ ports: [{ protocol: 'ICMP' }] }, [
        'ports[0].protocol',
        'Unsupported value: "ICMP": supported values: "SCTP", "TCP", "UDP"',
        'FieldValueNotSupported',
      ]),
      slice({ ports: [{ appProtocol: '/x' }] }, [
        'ports[0].appProtocol',
        'Invalid value: "/x": prefix part must be non-empty',
      ]),
    ]),
  },
  {
    id: 'updates',
    reason: 'the type of the addresses is fixed',
    steps: [
      {
        request: { method: 'POST', path: paths.endpointSlices, body: endpointSlice('x') },
        expect: { status: 201, at: { 'metadata.generation': 1 } },
      },
      {
        request: put(
          `${paths.endpointSlices}/x`,
          endpointSlice('x', { addressType: 'IPv6', endpoints: [{ addresses: ['2001:db8::1'] }] }),
        ),
        expect: {
          status: 422,
          error: invalid(kind, 'x', [['addressType', 'Invalid value: "IPv6": field is immutable']]),
        },
      },
      {
        request: put(`${paths.endpointSlices}/x`, {
          ...endpointSlice('x', {
            endpoints: [{ addresses: ['10.0.0.2'], deprecatedTopology: { zone: 'a' } }],
          }),
        }),
        expect: {
          status: 200,
          at: { 'metadata.generation': 2 },
          body: { endpoints: [{ addresses: ['10.0.0.2'] }] },
        },
      },
    ] satisfies readonly Step[],
  },
];
