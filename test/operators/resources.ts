import { Type } from 'serverless-reconciler';
import { Quantity } from 'serverless-reconciler/types';

/** What a container requests, and may use at most. */
export const resources = Type.Optional(
  Type.Object({ cpu: Type.Optional(Quantity), memory: Type.Optional(Quantity) }),
);
