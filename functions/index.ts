import { guardServers } from './bodies.ts';
import { equipFromEnvironment } from './environment.ts';
import { registerAudit, registerResync } from './register.ts';

/** The composition root of a process that can serve either function. */
const equipment = equipFromEnvironment();
guardServers(equipment.log);
registerResync(equipment);
registerAudit(equipment);
