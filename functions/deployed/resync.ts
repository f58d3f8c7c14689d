import { guardServers } from '../bodies.ts';
import { contextFromEnvironment } from '../environment.ts';
import { registerResync } from '../register.ts';

/** The composition root of the resync function, as it is deployed. */
const context = contextFromEnvironment();
guardServers(context.log);
registerResync(context);
