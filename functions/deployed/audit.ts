import { guardServers } from '../bodies.ts';
import { equipFromEnvironment } from '../environment.ts';
import { registerAudit } from '../register.ts';

/** The composition root of the audit function, as it is deployed. */
const equipment = equipFromEnvironment();
guardServers(equipment.log);
registerAudit(equipment);
