import { authUrlAnnotation, ingress } from '../../../index.ts';
import type { Json } from '../../../shared/kubernetes.ts';
import { containerAppIngress } from '../../support/children-of-container-app.ts';
import { casesOf, current } from '../cases.ts';

const rulesTo = (backend: string, ...paths: readonly string[]): Json => [
  { host: 'h', http: { paths: paths.map((path) => ({ path, backend })) } },
];
const rules = (...paths: readonly string[]): Json => rulesTo('a', ...paths);

export const cases = casesOf(ingress, {
  body: { spec: { ingressClassName: 'nginx', rules: [{ host: 'garden.example.org' }] } },
  edit: { patch: { spec: { ingressClassName: 'other' } }, path: 'spec.ingressClassName' },
  readiness: {
    Exists: {
      reason: 'an Ingress is ready once it exists',
      live: containerAppIngress(),
      want: current,
    },
  },
  impact: {
    created: ['open'],
    deleted: ['close'],
    changes: {
      'one path more': {
        reason: 'the path was not served before',
        fields: { 'spec.rules': [rules('/a'), rules('/a', '/b')] },
        want: ['open'],
      },
      'one path less': {
        reason: 'the path is no longer served',
        fields: { 'spec.rules': [rules('/a', '/b'), rules('/a')] },
        want: ['close'],
      },
      'another path': {
        reason: 'one path is served, another no longer',
        fields: { 'spec.rules': [rules('/a'), rules('/b')] },
        want: ['open', 'close'],
      },
      'another backend': {
        reason: 'another Service serves',
        fields: { 'spec.rules': [rules('/a'), rulesTo('b', '/a')] },
        want: ['reroute'],
      },
      'authorization that is removed': {
        reason: 'every request is admitted',
        fields: { [`metadata.annotations.${authUrlAnnotation}`]: ['http://auth', undefined] },
        want: ['open'],
      },
      'authorization that is added': {
        reason: 'some requests are refused',
        fields: { [`metadata.annotations.${authUrlAnnotation}`]: [undefined, 'http://auth'] },
        want: ['close'],
      },
      'a label': {
        reason: 'its controller does not read it',
        fields: { 'metadata.labels.a': ['x', 'y'] },
        want: [],
      },
    },
  },
});
