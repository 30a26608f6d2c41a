-- Names that an earlier version stored in NFD become those in NFC, and two that are the same name become one: the accounts that
-- have some do so by themselves (src/features/name-forms/). `names_at` is when such an account goes on with it.
ALTER TABLE users ADD COLUMN names_at TEXT;
CREATE INDEX users_names_at_idx ON users (names_at) WHERE names_at IS NOT NULL;

-- Whoever writes the key of a name looks whether it is in NFC, which SQLite cannot. So names with letters that NFC may write in
-- another way lose theirs: accents, scripts from Hebrew to Sinhala, those of Burmese and Hangul, and what follows a kana; Bali's and
-- Batak's, Greek's, letters that are signs, and ligatures.
UPDATE spellings SET key = ''
WHERE name GLOB '*[' || char(0x300) || '-' || char(0x36F) || char(0x590) || '-' || char(0xDFF)
    || char(0x1000) || '-' || char(0x11FF) || char(0x3099) || '-' || char(0x309A) || ']*'
  OR name GLOB '*[' || char(0x1B00) || '-' || char(0x1BFF) || char(0x1F00) || '-' || char(0x1FFF)
    || char(0x2126) || '-' || char(0x212B) || char(0xF900) || '-' || char(0xFB4F) || ']*';
UPDATE folders SET key = NULL
WHERE (name GLOB '*[' || char(0x300) || '-' || char(0x36F) || char(0x590) || '-' || char(0xDFF)
    || char(0x1000) || '-' || char(0x11FF) || char(0x3099) || '-' || char(0x309A) || ']*'
  OR name GLOB '*[' || char(0x1B00) || '-' || char(0x1BFF) || char(0x1F00) || '-' || char(0x1FFF)
    || char(0x2126) || '-' || char(0x212B) || char(0xF900) || '-' || char(0xFB4F) || ']*')
  AND NOT EXISTS (SELECT 1 FROM moves WHERE moves.owner = folders.owner AND is_fenced);

-- A Worker of the release before may write those keys meanwhile without a look, so whose they are is noted here as well.
UPDATE users SET names_at = '' WHERE number IN (
    SELECT owner FROM spellings WHERE key = '' UNION SELECT owner FROM folders WHERE key IS NULL)
  AND NOT EXISTS (SELECT 1 FROM moves WHERE moves.owner = users.number AND is_fenced);
