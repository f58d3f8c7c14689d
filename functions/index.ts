import { guardServers } from './bodies.ts';
import { contextFromEnvironment } from './environment.ts';
import { registerAudit, registerResync } from './register.ts';

/** The composition root of a process that can serve either function. */
const context = contextFromEnvironment();
guardServers(context.log);
registerResync(context);
registerAudit(context);
