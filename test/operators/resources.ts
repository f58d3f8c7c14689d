import { Type } from 'serverless-reconciler';
import { Quantity } from 'serverless-reconciler/types';

/** What a container requests, and may use at most. */
export const resources = Type.Optional(
  Type.Object({ cpu: Type.Optional(Quantity), memory: Type.Optional(Quantity) }),
);

const label = '[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?';

/** A host name, or the name of most objects. */
export const subdomain = Type.String({ pattern: `^${label}(\\.${label})*$`, maxLength: 253 });
