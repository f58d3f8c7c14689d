import type { BuiltInSchemas } from './built-in-schemas.ts';
import { coreKinds } from './core-kinds.ts';
import { eventKinds } from './event-kinds.ts';
import { toResource } from './kind-table.ts';
import type { Resource } from './resource.ts';
import { systemKinds } from './system-kinds.ts';
import { workloadKinds } from './workload-kinds.ts';

/** The built-in resources. */
export const builtInResources = (schemas: BuiltInSchemas): Resource[] =>
  [...coreKinds, ...workloadKinds, ...eventKinds, ...systemKinds].map((one) =>
    toResource(one, schemas),
  );
