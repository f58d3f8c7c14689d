import { expect, test } from 'vitest';
import { defineChildType } from '../../index.ts';
import { openOfflineServer } from '../../infra/check/offline-server.ts';

const bucket = defineChildType({
  group: 's3.example.com',
  version: 'v1',
  kind: 'Bucket',
  plural: 'buckets',
});

test('a change of a recorded object of a custom type has an unknown result, and fails nothing', () => {
  const about = { apiVersion: 's3.example.com/v1', kind: 'Bucket' };
  const metadata = {
    name: 'one',
    namespace: 'default',
    uid: 'u',
    resourceVersion: '1',
    creationTimestamp: '',
  };
  const live = { ...about, metadata, spec: { region: 'a' } };
  const ask = openOfflineServer('us');
  expect(ask(bucket, live, { ...about, metadata, spec: { region: 'b' } })).toBeUndefined();
});

test('a change of a webhook configuration, whose group has only cluster-scoped types, is known', () => {
  const webhooks = defineChildType({
    group: 'admissionregistration.k8s.io',
    version: 'v1',
    kind: 'ValidatingWebhookConfiguration',
    plural: 'validatingwebhookconfigurations',
    scope: 'Cluster',
  });
  const about = { apiVersion: 'admissionregistration.k8s.io/v1', kind: webhooks.kind };
  const creationTimestamp = '2026-01-01T00:00:00Z';
  const metadata = { name: 'one', uid: 'u', resourceVersion: '1', creationTimestamp };
  const webhook = {
    name: 'one.example.org',
    admissionReviewVersions: ['v1'],
    sideEffects: 'None',
    clientConfig: { url: 'https://one.example.org' },
  };
  const live = { ...about, metadata, webhooks: [webhook] };
  const ask = openOfflineServer('us');
  const desired = { ...about, metadata, webhooks: [{ ...webhook, timeoutSeconds: 3 }] };
  expect(ask(webhooks, live, desired)).toMatchObject({ webhooks: [{ timeoutSeconds: 3 }] });
});
