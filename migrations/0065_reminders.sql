-- When people are reminded of what has an hour and says nothing about reminders: so long before it, as a duration of RFC 3339,
-- or never for null. And whether reminders come by mail, too.
ALTER TABLE users ADD COLUMN remind_before TEXT DEFAULT 'PT0S';
ALTER TABLE reminders ADD COLUMN mail_reminders INTEGER NOT NULL DEFAULT 0;
