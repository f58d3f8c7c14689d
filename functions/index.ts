import { equipFromEnvironment } from './environment.ts';
import { registerAudit, registerResync } from './register.ts';

/** The composition root of a process that can serve either function. */
const equipment = equipFromEnvironment();
registerResync(equipment);
registerAudit(equipment);
