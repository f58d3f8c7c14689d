import { guardServers } from '../bodies.ts';
import { equipFromEnvironment } from '../environment.ts';
import { registerResync } from '../register.ts';

/** The composition root of the resync function, as it is deployed. */
const equipment = equipFromEnvironment();
guardServers(equipment.log);
registerResync(equipment);
