import type { Client } from '@serverless-reconciler/local-cluster/client';
import {
  type InProcessCluster,
  startInProcessCluster,
} from '@serverless-reconciler/local-cluster/in-process';
import { KubeError } from '../../shared/cluster/cluster-errors.ts';
import type { Connection } from '../../shared/cluster/http/connection.ts';
import type { Status } from '../../shared/kubernetes.ts';
import { engineUser } from '../reconcile/engine.ts';

/** The embedded cluster without HTTP, which is ten times as fast. */
export interface DirectCluster extends Pick<InProcessCluster, 'controllers' | 'requests'> {
  readonly connection: Connection;
  readonly client: Client;
  stop(): void;
}

export function startDirectCluster(): DirectCluster {
  const { controllers, requests, send, stop } = startInProcessCluster();

  return {
    controllers,
    requests,
    stop,
    connection: {
      async send({ method, path, body, contentType = '', what, parse }) {
        const { code, text, value } = send({ user: engineUser, method, path, body, contentType });
        if (code >= 400) throw new KubeError(what, { code, status: value as Status });
        return { value: parse?.(Buffer.from(text)) ?? value, bytes: text.length };
      },
      close: async () => undefined,
    },
    client: {
      async send({ method, path, query = {}, headers = {}, body }) {
        const search = new URLSearchParams(query);
        const { code, text, value } = send({
          user: '',
          method,
          path: `${path}?${search}`,
          body,
          contentType: headers['content-type'] ?? 'application/json',
        });
        return { status: code, headers: {}, text, body: value };
      },
      async watch() {
        throw new Error('there are no watches without HTTP');
      },
      close: async () => undefined,
    },
  };
}
