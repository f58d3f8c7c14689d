import { service } from '../../../index.ts';
import { websiteService } from '../../support/children.ts';
import { casesOf, current } from '../cases.ts';
import { labels } from '../samples.ts';

export const cases = casesOf(service, {
  body: { spec: { selector: labels, ports: [{ port: 80, protocol: 'TCP', targetPort: 'http' }] } },
  edit: { patch: { spec: { selector: { app: 'other' } } }, path: 'spec.selector' },
  readiness: {
    Exists: { reason: 'a Service is ready once it exists', live: websiteService(), want: current },
    LoadBalancer: {
      reason: 'an external address is not waited for',
      live: websiteService({ spec: { type: 'LoadBalancer' } }),
      want: current,
    },
  },
  fixed: {
    'spec.clusterIP': 'None',
    'spec.ipFamilies': ['IPv6'],
  },
  impact: {
    created: [],
    deleted: ['interrupt'],
    changes: {
      'created as a NodePort': {
        reason: 'it can be reached from outside',
        desired: { spec: { type: 'NodePort' } },
        want: ['open'],
      },
      'a selector': {
        reason: 'other pods receive the requests',
        fields: { 'spec.selector.app': ['a', 'b'] },
        want: ['reroute'],
      },
      'a changed port': {
        reason: 'clients use the old port',
        fields: { 'spec.ports[port=80,protocol="TCP"].nodePort': [31000, 31001] },
        want: ['interrupt'],
      },
      'one port more': {
        reason: 'the other ports stay',
        fields: { 'spec.ports[port=81,protocol="TCP"]': [undefined, { port: 81 }] },
        want: [],
      },
      'one port less': {
        reason: 'clients use the port',
        fields: { 'spec.ports[port=81,protocol="TCP"]': [{ port: 81 }, undefined] },
        want: ['interrupt'],
      },
      'a Service that becomes a NodePort': {
        reason: 'it can be reached from outside',
        fields: { 'spec.type': ['ClusterIP', 'NodePort'] },
        want: ['open'],
      },
      'a Service that becomes internal': {
        reason: 'it can no longer be reached from outside',
        fields: { 'spec.type': ['LoadBalancer', 'ClusterIP'] },
        want: ['close'],
      },
      'a NodePort that becomes a LoadBalancer': {
        reason: 'it can be reached in another way',
        fields: { 'spec.type': ['NodePort', 'LoadBalancer'] },
        want: ['interrupt'],
      },
      'source ranges': {
        reason: 'some clients are let in, and others no longer',
        fields: { 'spec.loadBalancerSourceRanges': [['10.0.0.0/8'], ['11.0.0.0/8']] },
        want: ['open', 'close'],
      },
    },
  },
});
