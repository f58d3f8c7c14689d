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
  immutable: {
    NoLongerHeadless: {
      reason: 'the API server would leave it headless',
      live: { spec: { type: 'ClusterIP', clusterIP: 'None' } },
      wanted: { spec: {} },
      path: 'spec.clusterIP',
      isRefused: true,
    },
    Headless: {
      reason: 'it keeps its address',
      live: { spec: { type: 'ClusterIP', clusterIP: '10.0.0.1' } },
      wanted: { spec: { clusterIP: 'None' } },
      path: 'spec.clusterIP',
      isRefused: true,
    },
    AnyAddress: {
      reason: 'the address that it has is as good',
      live: { spec: { type: 'ClusterIP', clusterIP: '10.0.0.1' } },
      wanted: { spec: {} },
      path: 'spec.clusterIP',
      isRefused: false,
    },
    HeadlessToExternal: {
      reason: 'an ExternalName has no address',
      live: { spec: { type: 'ClusterIP', clusterIP: 'None', ipFamilies: ['IPv4'] } },
      wanted: { spec: { type: 'ExternalName', externalName: 'a.example' } },
      path: 'spec.clusterIP',
      isRefused: false,
    },
    ExternalToHeadless: {
      reason: 'it had no address',
      live: { spec: { type: 'ExternalName', externalName: 'a.example' } },
      wanted: { spec: { clusterIP: 'None' } },
      path: 'spec.clusterIP',
      isRefused: false,
    },
    SecondFamily: {
      reason: 'a family may be added after the first',
      live: { spec: { type: 'ClusterIP', ipFamilies: ['IPv4'] } },
      wanted: { spec: { ipFamilies: ['IPv4', 'IPv6'] } },
      path: 'spec.ipFamilies',
      isRefused: false,
    },
    Class: {
      reason: 'a load balancer stays with its controller',
      live: { spec: { type: 'LoadBalancer', loadBalancerClass: 'a.b/c' } },
      wanted: { spec: { type: 'LoadBalancer' } },
      path: 'spec.loadBalancerClass',
      isRefused: true,
    },
    ClassOfNone: {
      reason: 'it is dropped with the type',
      live: { spec: { type: 'LoadBalancer', loadBalancerClass: 'a.b/c' } },
      wanted: { spec: { type: 'ClusterIP' } },
      path: 'spec.loadBalancerClass',
      isRefused: false,
    },
  },
  impact: {
    created: [],
    deleted: ['interrupt'],
    changes: {
      'created as a NodePort': {
        reason: 'it can be reached from outside',
        wanted: { spec: { type: 'NodePort' } },
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
