// Enables Node's compile cache, so that a program starts faster the next time.
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

enableCompileCache(join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'test-servers'));
