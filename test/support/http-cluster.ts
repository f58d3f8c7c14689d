import { onTestFinished } from 'vitest';
import { connect } from '../../shared/cluster/http/connection.ts';
import type { ResponseLimits } from '../../shared/cluster/http/exchange.ts';
import { openCluster } from '../../shared/cluster/http-cluster.ts';
import { type ApiReply, type ApiRequest, startApiEndpoint } from './api-endpoint.ts';

interface Limits {
  readonly concurrency?: number;
  readonly seconds?: number;
  readonly responses?: Partial<ResponseLimits>;
}

/** Opens a cluster whose API server gives these replies. */
export async function clusterOf(
  reply: (request: ApiRequest, number: number) => ApiReply | Promise<ApiReply>,
  { concurrency = 8, seconds = 60, responses = {} }: Limits = {},
) {
  const api = await startApiEndpoint(reply);
  const connection = connect(
    { server: api.url, access: async () => ({ tls: {}, authorization: undefined }) },
    responses,
  );
  onTestFinished(connection.close);
  const cluster = openCluster(connection, { concurrency, deadline: Date.now() + seconds * 1000 });
  return { cluster, api };
}
