import { guardServers } from '../bodies.ts';
import { contextFromEnvironment } from '../environment.ts';
import { registerAudit } from '../register.ts';

/** The composition root of the audit function, as it is deployed. */
const context = contextFromEnvironment();
guardServers(context.log);
registerAudit(context);
