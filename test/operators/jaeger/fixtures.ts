import { createTestEnvironment } from 'serverless-reconciler/testing';
import { onTestFinished } from 'vitest';
import type { JsonObject } from '../../../shared/kubernetes.ts';
import { definitionOf } from '../definition.ts';
import { route } from '../openshift.ts';
import { elasticsearch } from './elasticsearch.ts';
import { jaeger } from './jaeger.ts';
import { kafka, kafkaNodePool, kafkaUser } from './kafka.ts';

export const given = [kafka, kafkaNodePool, kafkaUser, route, elasticsearch].map(definitionOf);

export const remote = { type: 'grpc', options: { 'grpc-storage.server': 'storage:17271' } };

export const production = (storage: JsonObject, more: JsonObject = {}) => ({
  strategy: 'production',
  storage,
  ...more,
});

export async function open() {
  const env = await createTestEnvironment({ kinds: [jaeger] });
  onTestFinished(() => env.close());
  for (const one of given) await env.apply(one);
  return env;
}
