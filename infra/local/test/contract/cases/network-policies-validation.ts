import type { ContractCase } from '../contract-case.ts';
import { judged } from '../judged.ts';
import { networkPolicy, paths } from '../objects.ts';

const steps = (rows: Parameters<typeof judged>[2]) =>
  judged(paths.policies, 'NetworkPolicy.networking.k8s.io', rows);

export const cases: readonly ContractCase[] = [
  {
    id: 'types',
    reason: 'a policy is for ingress, egress or both',
    steps: steps([
      {
        given: networkPolicy('x', { policyTypes: ['Ingress', 'Egress', 'Ingress'] }),
        want: [
          [
            'spec.policyTypes',
            'Invalid value: ["Ingress","Egress","Ingress"]: may not specify more than two policyTypes',
          ],
        ],
      },
      {
        given: networkPolicy('x', { policyTypes: ['Both'] }),
        want: [
          [
            'spec.policyTypes[0]',
            'Unsupported value: "Both": supported values: "Ingress", "Egress"',
            'FieldValueNotSupported',
          ],
        ],
      },
      {
        given: networkPolicy('x', { podSelector: { matchLabels: { 'a b': 'c' } } }),
        want: [
          [
            'spec.podSelector.matchLabels',
            "Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
          ],
        ],
      },
    ]),
  },
  {
    id: 'peers',
    reason: 'a peer is chosen by labels or by addresses',
    steps: steps([
      {
        given: networkPolicy('x', { ingress: [{ from: [{}] }] }),
        want: [
          ['spec.ingress[0].from[0]', 'Required value: must specify a peer', 'FieldValueRequired'],
        ],
      },
      {
        given: networkPolicy('x', {
          egress: [{ to: [{ ipBlock: { cidr: '10.0.0.0/8' }, podSelector: {} }] }],
        }),
        want: [
          [
            'spec.egress[0].to[0]',
            'Forbidden: may not specify both ipBlock and another peer',
            'FieldValueForbidden',
          ],
        ],
      },
      {
        given: networkPolicy('x', { ingress: [{ from: [{ ipBlock: {} }] }] }),
        want: [['spec.ingress[0].from[0].ipBlock.cidr', 'Required value', 'FieldValueRequired']],
      },
      {
        given: networkPolicy('x', { ingress: [{ from: [{ ipBlock: { cidr: 'x' } }] }] }),
        want: [
          [
            'spec.ingress[0].from[0].ipBlock.cidr',
            'Invalid value: "x": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)',
          ],
        ],
      },
      {
        given: networkPolicy('x', {
          ingress: [{ from: [{ ipBlock: { cidr: '10.0.0.0/8', except: ['11.0.0.0/8'] } }] }],
        }),
        want: [
          [
            'spec.ingress[0].from[0].ipBlock.except[0]',
            'Invalid value: "11.0.0.0/8": must be a strict subset of `cidr`',
          ],
        ],
      },
      {
        given: networkPolicy('x', {
          ingress: [{ from: [{ ipBlock: { cidr: '10.0.0.0/8', except: ['10.1.0.0/16'] } }] }],
        }),
        want: 'accepted',
      },
    ]),
  },
  {
    id: 'ports',
    reason: 'a port is a number, a range of numbers or a name',
    steps: steps([
      {
        given: networkPolicy('x', { egress: [{ ports: [{ port: 0 }] }] }),
        want: [
          [
            'spec.egress[0].ports[0].port',
            'Invalid value: 0: must be between 1 and 65535, inclusive',
          ],
        ],
      },
      {
        given: networkPolicy('x', { egress: [{ ports: [{ port: 'no name' }] }] }),
        want: [
          [
            'spec.egress[0].ports[0].port',
            'Invalid value: "no name": must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)',
          ],
        ],
      },
      { given: networkPolicy('x', { ingress: [{ ports: [{ port: 'http' }] }] }), want: 'accepted' },
      {
        given: networkPolicy('x', { ingress: [{ ports: [{ port: 5, endPort: 6 }] }] }),
        want: 'accepted',
      },
      {
        given: networkPolicy('x', { ingress: [{ ports: [{ endPort: 5 }] }] }),
        want: [
          [
            'spec.ingress[0].ports[0].endPort',
            'Invalid value: 5: may not be specified when `port` is not specified',
          ],
        ],
      },
      {
        given: networkPolicy('x', { ingress: [{ ports: [{ port: 5, endPort: 4 }] }] }),
        want: [
          [
            'spec.ingress[0].ports[0].endPort',
            'Invalid value: 5: must be greater than or equal to `port`',
          ],
        ],
      },
      {
        given: networkPolicy('x', { ingress: [{ ports: [{ port: 5, endPort: 70000 }] }] }),
        want: [
          [
            'spec.ingress[0].ports[0].endPort',
            'Invalid value: 70000: must be between 1 and 65535, inclusive',
          ],
        ],
      },
      {
        given: networkPolicy('x', { ingress: [{ ports: [{ port: 'http', endPort: 4 }] }] }),
        want: [
          [
            'spec.ingress[0].ports[0].endPort',
            'Invalid value: 4: may not be specified when `port` is non-numeric',
          ],
        ],
      },
      {
        given: networkPolicy('x', { ingress: [{ ports: [{ port: 5, protocol: 'ICMP' }] }] }),
        want: [
          [
            'spec.ingress[0].ports[0].protocol',
            'Unsupported value: "ICMP": supported values: "TCP", "UDP", "SCTP"',
            'FieldValueNotSupported',
          ],
        ],
      },
    ]),
  },
];
