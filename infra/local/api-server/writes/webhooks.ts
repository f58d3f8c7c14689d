import { fillIn } from '../decoding/decode.ts';
import { ApiError } from '../errors/status.ts';
import type { Webhook, Webhooks } from '../resources/webhooks.ts';

/** Keeps the admission webhooks and runs them in the order they were added. */
export function createWebhooks(): Webhooks {
  const active = new Set<Webhook>();
  return {
    add: (webhook) => {
      const own: Webhook = (review) => webhook(review);
      active.add(own);
      return () => active.delete(own);
    },
    admit(object, { served, name, subresource }) {
      if (active.size === 0 || subresource !== '') return object;
      const { plural: resource, group } = served.resource;
      for (const webhook of active) {
        const why = webhook({ resource, group, name: object.metadata.name ?? name, object });
        if (why !== undefined) throw denied(why);
      }
      return fillIn(served, object);
    },
    clear: () => active.clear(),
  };
}

const denied = (why: string): ApiError =>
  new ApiError({
    message: `admission webhook "webhook.example.org" denied the request: ${why}`,
    reason: 'Forbidden',
    code: 403,
  });
