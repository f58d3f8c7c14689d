import { equipFromEnvironment } from '../environment.ts';
import { registerResync } from '../register.ts';

/** The composition root of the resync function, as it is deployed. */
registerResync(equipFromEnvironment());
