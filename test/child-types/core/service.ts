import { service } from '../../../index.ts';
import { websiteService } from '../../support/children.ts';
import { casesOf, current } from '../cases.ts';
import { labels } from '../samples.ts';

export const cases = casesOf(service, {
  body: { spec: { selector: labels, ports: [{ port: 80, protocol: 'TCP', targetPort: 'http' }] } },
  edit: { patch: { spec: { selector: { app: 'other' } } }, path: 'spec.selector' },
  readiness: {
    Exists: { reason: 'a Service exists or not', live: websiteService(), want: current },
    LoadBalancer: {
      reason: 'an external address is not waited for',
      live: websiteService({ spec: { type: 'LoadBalancer' } }),
      want: current,
    },
  },
  impact: {
    created: [],
    deleted: ['interrupt'],
    changes: {
      'created as a NodePort': {
        reason: 'it is reached from outside',
        wanted: { spec: { type: 'NodePort' } },
        want: ['open'],
      },
      'a selector': {
        reason: 'other pods answer',
        fields: { 'spec.selector.app': ['a', 'b'] },
        want: ['reroute'],
      },
      'a changed port': {
        reason: 'clients use the old one',
        fields: { 'spec.ports[port=80,protocol="TCP"].nodePort': [31000, 31001] },
        want: ['interrupt'],
      },
      'one port more': {
        reason: 'the others stay',
        fields: { 'spec.ports[port=81,protocol="TCP"]': [undefined, { port: 81 }] },
        want: [],
      },
      'one port less': {
        reason: 'clients use it',
        fields: { 'spec.ports[port=81,protocol="TCP"]': [{ port: 81 }, undefined] },
        want: ['interrupt'],
      },
      'one that becomes a NodePort': {
        reason: 'it is reached from outside',
        fields: { 'spec.type': ['ClusterIP', 'NodePort'] },
        want: ['open'],
      },
      'one that becomes internal': {
        reason: 'it is no longer reached from outside',
        fields: { 'spec.type': ['LoadBalancer', 'ClusterIP'] },
        want: ['close'],
      },
      'a NodePort that becomes a LoadBalancer': {
        reason: 'it is reached in another way',
        fields: { 'spec.type': ['NodePort', 'LoadBalancer'] },
        want: ['interrupt'],
      },
      'source ranges': {
        reason: 'some are let in and others not',
        fields: { 'spec.loadBalancerSourceRanges': [['10.0.0.0/8'], ['11.0.0.0/8']] },
        want: ['open', 'close'],
      },
    },
  },
});
