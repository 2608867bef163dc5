<?php
// A CalDAV server of sabre/dav (the engine of Nextcloud, ownCloud and Baikal) for tests: its data in one file of SQLite, names and passwords in another.
error_reporting(0);
date_default_timezone_set('UTC');
require_once 'Sabre/autoload.php';

$database = new PDO('sqlite:' . getenv('DATABASE_FILE'));
$database->setAttribute(PDO::ATTR_ERRMODE, PDO::ERRMODE_EXCEPTION);
// the tables that sabre/dav 1.8 asks for (its documents have them too, which slim machines leave out)
$database->exec('
    create table if not exists principals (id integer primary key, uri text unique, email text, displayname text, vcardurl text);
    create table if not exists groupmembers (id integer primary key, principal_id integer, member_id integer);
    create table if not exists calendars (id integer primary key, principaluri text, displayname text, uri text, ctag integer,
        description text, calendarorder integer, calendarcolor text, timezone text, components text, transparent bool);
    create table if not exists calendarobjects (id integer primary key, calendardata blob, uri text, calendarid integer,
        lastmodified integer, etag text, size integer, componenttype text, firstoccurence integer, lastoccurence integer);
');

/** Whoever stands in the file of users may enter, and has a principal. */
class Users extends \Sabre\DAV\Auth\Backend\AbstractBasic {
    private $database;

    function __construct($database) {
        $this->database = $database;
    }

    protected function validateUserPass($username, $password) {
        if (!in_array("$username:$password", file(getenv('USERS_FILE'), FILE_IGNORE_NEW_LINES), true)) return false;
        $insert = $this->database->prepare('insert or ignore into principals (uri, displayname) values (?, ?)');
        $insert->execute(["principals/$username", $username]);
        return true;
    }
}

$principals = new \Sabre\DAVACL\PrincipalBackend\PDO($database);
$server = new \Sabre\DAV\Server([
    new \Sabre\CalDAV\Principal\Collection($principals),
    new \Sabre\CalDAV\CalendarRootNode($principals, new \Sabre\CalDAV\Backend\PDO($database)),
]);
$server->setBaseUri('/');
$server->addPlugin(new \Sabre\DAV\Auth\Plugin(new Users($database), 'test'));
$server->addPlugin(new \Sabre\DAVACL\Plugin());
$server->addPlugin(new \Sabre\CalDAV\Plugin());
$server->exec();
